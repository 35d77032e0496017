// What a motif is to the engine: a pattern that can be done. See CONTRIBUTING.md, "A motif in ten minutes".
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/catalogue.hpp"
#include "core/clock.hpp"
#include "core/histogram.hpp"
#include "core/pattern.hpp"
#include "core/random.hpp"
#include "core/recorder.hpp"
#include "mpi/group.hpp"

namespace stressbench {

enum class Better { lower, higher };

// A number that a motif measures itself, beside the time that the engine takes of the whole. Declared like a parameter:
//   Metric open_{this, "open_time_s", Better::lower, "time in MPI_File_open"};
class Metric {
 public:
  template <class Owner>
  Metric(Owner* owner, std::string name, Better better, std::string help)
      : name_(std::move(name)), help_(std::move(help)), better_(better) {
    owner->metrics_.push_back(this);
  }
  Metric(const Metric&) = delete;
  Metric& operator=(const Metric&) = delete;
  virtual ~Metric() = default;

  const std::string& name() const noexcept { return name_; }  // ends in its unit: open_time_s, written_bytes
  const std::string& help() const noexcept { return help_; }
  Better better() const noexcept { return better_; }

  void add(double value) noexcept { sum_ += value; }  // sums up over the executions of a repetition
  // The repetition's value; begins the next one.
  virtual double take() noexcept {
    const double sum = sum_;
    sum_ = 0;
    return sum;
  }

 private:
  std::string name_;
  std::string help_;
  Better better_;
  double sum_ = 0;
};

// Durations of parts of a pattern, such as single transfers, that a motif notes while it performs: in the run file a
// histogram of its own, beside that of whole executions. Holds measured repetitions only, which the engine sees to.
class MotifHistogram {
 public:
  // "write transfer": unlike the motif's quantity() and its other histograms'.
  explicit MotifHistogram(std::string quantity) : quantity_(std::move(quantity)) {}

  void note(std::int64_t duration_ns) noexcept {
    if (open_) durations_.record(duration_ns);
  }
  const std::string& quantity() const noexcept { return quantity_; }
  const Durations& durations() const noexcept { return durations_; }

  void open() noexcept { open_ = true; }
  void close() noexcept { open_ = false; }

 private:
  std::string quantity_;
  Durations durations_;
  bool open_ = true;
};

// Where a motif runs, for what it leaves outside of memory: files under the run's id, one a node.
struct RunContext {
  std::string run_id;
  std::string launch;  // an id of its own: a run that is continued has several
  int node = 0;        // this rank's, as the engine numbers them (with --ranks-per-node too)
};

class Motif : public Pattern {
 public:
  // Once, before decompose.
  virtual void bind(const RunContext& place) { (void)place; }

  // Builds neighbours and buffers for the ranks of `group` (own context, nothing else in it), and touches every buffer.
  // `draws` is this job's and step's stream. Collective over the group. check(group.size()) passed before.
  virtual void decompose(const mpi::Group& group, const Draw& draws) = 0;

  // Called before each timed region, untimed: draw what the next `iterations()` iterations need. `execution` counts up
  // by iterations().
  virtual void prepare(std::uint64_t execution) { (void)execution; }

  // The pattern, once. This is what is timed: nothing is allocated, printed, looked up or drawn here.
  virtual void perform(Recorder& recorder) = 0;

  // Called after each timed region, untimed: reduce what this rank noted in it, before metrics are taken. May be
  // collective over the group of `decompose`.
  virtual void reduce_metrics() {}

  // Whether this rank's time counts. An idle rank of an odd-sized ping-pong has none; only initiators do when every
  // iteration is timed.
  virtual bool is_timed() const { return true; }

  // `--verify`: fill what is sent so that each byte tells sender, receiver, offset and `pass`, and spoil what will be
  // received; then, after one perform, check it: throws WrongByte. Both untimed.
  virtual void fill_payload(std::uint64_t pass) { (void)pass; }
  virtual void verify(std::uint64_t pass) const { (void)pass; }

  // After the last repetition of a round (0: of none, alone), untimed and not after a fault: what a motif has to tell
  // beside its metrics. Collective over the group of `decompose`.
  virtual void finish(const mpi::Group& group, int round) { (void)group, (void)round; }

  // What a reader of the numbers must know: a hint that was not taken, a cache that could not be dropped. Asked after
  // `finish`, on one rank of the job; a text that comes again is told once.
  virtual std::vector<std::string> notes() const { return {}; }

  // A motif that stands for a series (all sizes of a ping-pong) gives its parts; the engine runs them in its place.
  // Empty: itself.
  virtual std::vector<std::unique_ptr<Motif>> parts() const { return {}; }

  // All that it can measure, and those that it does measure as its parameters are now.
  std::span<Metric* const> metrics() const noexcept { return metrics_; }
  virtual std::span<Metric* const> measured() const { return metrics(); }
  // Histograms that it keeps itself: the same on every rank and whenever asked.
  virtual std::vector<MotifHistogram*> histograms() { return {}; }

 private:
  friend class Metric;
  std::vector<Metric*> metrics_;
};

using MotifMaker = std::function<std::unique_ptr<Motif>()>;
struct ProvidedMotif {
  CatalogueEntry entry;
  MotifMaker make;
};

// The catalogue of what is compiled in.
class MotifCatalogue final : public Catalogue {
 public:
  static MotifCatalogue& instance();
  void add(CatalogueEntry entry, MotifMaker make);
  // Several at once, asked for when all are listed or a name is not known yet, in the order of these calls: they may
  // depend on what other files register, or take loading.
  void add_later(std::vector<ProvidedMotif> (*provide)());
  // One that this build lacks, and why: "a simulation has no files".
  void add_absent(std::string name, std::string why);
  std::vector<CatalogueEntry> entries() const override;
  std::unique_ptr<Pattern> make_pattern(std::string_view name) const override { return make(name); }
  std::string absence(std::string_view name) const override;
  std::unique_ptr<Motif> make(std::string_view name) const;  // null when unknown

 private:
  const std::vector<ProvidedMotif>& all() const;

  mutable std::vector<ProvidedMotif> registered_;
  mutable std::vector<std::vector<ProvidedMotif> (*)()> providers_;
  std::vector<std::pair<std::string, std::string>> absent_;
};

// At the end of a motif's file:
//   const RegisterMotif<Halo2d> registered{"halo2d", Family::application, "one line", "TeaLeaf; StressBench III-A"};
template <class M>
struct RegisterMotif {
  RegisterMotif(std::string name, Family family, std::string summary, std::string source = "") {
    MotifCatalogue::instance().add({std::move(name), family, std::move(summary), std::move(source)},
                                   [] { return std::unique_ptr<Motif>(std::make_unique<M>()); });
  }
};

}  // namespace stressbench
