// The interface between a motif and the engine. See CONTRIBUTING.md, "Add a motif in ten minutes".
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

// A number that a motif measures itself, in addition to the time that the engine measures. Declared like a parameter:
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

  void add(double value) noexcept { sum_ += value; }  // summed over the executions of a repetition
  // Returns the repetition's value and resets it for the next one.
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

// Durations of parts of a pattern, such as single transfers, which a motif records in `perform`. The run file stores
// this histogram beside that of whole executions. The engine opens it in measured repetitions only.
class MotifHistogram {
 public:
  // Name such as "write transfer", different from the motif's quantity() and from its other histograms.
  explicit MotifHistogram(std::string quantity) : quantity_(std::move(quantity)) {}

  void record(std::int64_t duration_ns) noexcept {
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

// The run that a motif belongs to, for motifs that create files: their names contain the run's id.
struct RunContext {
  std::string run_id;
  std::string launch;  // id of this launch; a continued run has several
  int node = 0;        // index of this rank's node as the engine numbers nodes (also with --ranks-per-node)
};

class Motif : public Pattern {
 public:
  // Called once, before `decompose`.
  virtual void bind(const RunContext& context) { (void)context; }

  // Determines neighbours and allocates and touches buffers, untimed. Collective over `group`, a communicator of this
  // motif alone; check(group.size()) has passed. `draws` is the random stream of this job and step. What is allocated
  // here is freed by the destructor: the engine replaces the object after each round (cleanup).
  virtual void decompose(const mpi::Group& group, const Draw& draws) = 0;

  // Called before each timed region, untimed: draws the random numbers of the next `iterations()` iterations.
  // `execution` grows by iterations() per call.
  virtual void prepare(std::uint64_t execution) { (void)execution; }

  // The pattern, once. This is the timed region: nothing is allocated, printed, looked up or drawn here.
  virtual void perform(Recorder& recorder) = 0;

  // Called after each timed region, untimed, before metrics are read: reduces what was recorded in it. May be
  // collective over the group of `decompose`.
  virtual void reduce_metrics() {}

  // Whether this rank's time counts. The idle rank of a ping-pong on an odd number of ranks has none; if every
  // iteration is timed, only initiators count.
  virtual bool is_timed() const { return true; }

  // `--verify`: before one `perform`, fills send buffers so that each byte depends on sender, receiver, offset and
  // `pass`, and overwrites receive buffers with other bytes; after it, checks what was received. Throws WrongByte.
  // Both untimed.
  virtual void fill_payload(std::uint64_t pass) { (void)pass; }
  virtual void verify(std::uint64_t pass) const { (void)pass; }

  // Called after the last repetition of a round, untimed; not called after a fault. `round` is 0 in a microbenchmark.
  // For results other than metrics. Collective over the group of `decompose`.
  virtual void finish(const mpi::Group& group, int round) { (void)group, (void)round; }

  // What a reader of the results must know: a hint that was ignored, a cache that could not be dropped. Called after
  // `finish`, on one rank of the job. The engine reports equal texts once.
  virtual std::vector<std::string> notes() const { return {}; }

  // A motif that stands for a series, such as all sizes of a ping-pong, returns the motifs that the engine runs in its
  // place. Empty for all others.
  virtual std::vector<std::unique_ptr<Motif>> parts() const { return {}; }

  // All metrics, and those that are measured with the current parameters.
  std::span<Metric* const> metrics() const noexcept { return metrics_; }
  virtual std::span<Metric* const> measured() const { return metrics(); }
  // Additional histograms: the same ones on every rank and in every call.
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

// The motifs of this build.
class MotifCatalogue final : public Catalogue {
 public:
  static MotifCatalogue& instance();
  void add(CatalogueEntry entry, MotifMaker make);
  // Registers a function that provides several motifs. Such functions are called in the order of registration, when all
  // motifs are listed or while a name is still unknown: their motifs may depend on what other files register, or on
  // loading a library.
  void add_provider(std::vector<ProvidedMotif> (*provide)());
  // Registers a motif that this build lacks, with the reason: "a simulation has no files".
  void add_unavailable(std::string name, std::string why);
  std::vector<CatalogueEntry> entries() const override;
  std::unique_ptr<Pattern> make_pattern(std::string_view name) const override { return make(name); }
  std::string unavailable_reason(std::string_view name) const override;
  std::unique_ptr<Motif> make(std::string_view name) const;  // null when unknown

 private:
  const std::vector<ProvidedMotif>& all() const;

  mutable std::vector<ProvidedMotif> registered_;
  mutable std::vector<std::vector<ProvidedMotif> (*)()> providers_;
  std::vector<std::pair<std::string, std::string>> unavailable_;
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
