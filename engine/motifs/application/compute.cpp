// compute: computation for a time that is constant, drawn from a distribution, or that of a program from a trace
// (StressBench III-A; docs/motifs/compute.md).

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/distribution.hpp"
#include "core/pause.hpp"
#include "motifs/captured/gaps_from.hpp"
#include "motifs/listed_calls.hpp"
#include "motifs/motif.hpp"

namespace stressbench {

enum class ComputeMode { busy, cpu, sleep };

enum class ImbalanceShape { linear, random, single };

namespace {

// Random times drawn for one timed region: 32 KiB. A region with more iterations reuses them from the first.
constexpr std::int64_t max_draws = 4096;
// Position in the random stream at which a rank's factor is drawn; no execution uses it.
constexpr auto factor_position = std::numeric_limits<std::uint64_t>::max();
constexpr double max_duration_ns = 1e18;  // 30 years; keeps sums of times in range

class Compute final : public Motif, public ListedCalls {
 public:
  void check(int ranks) const override {
    gaps_from_.refuse_beside({&mean_, &distribution_, &deviation_, &imbalance_, &shape_});
    gaps_from_.check(ranks, gap());
    if (takes_deviation(*distribution_) && deviation_->value == 0)
      reject("deviation", "{} requires a deviation greater than 0", distribution_.text());
    if (!takes_deviation(*distribution_) && deviation_.was_given())
      reject("deviation", "{} has no deviation", distribution_.text());
    if (*imbalance_ > 1.0 && *shape_ != ImbalanceShape::single) {
      reject("imbalance", "{} would give a rank a negative amount of work; at most 1 with --imbalance-shape {}",
             imbalance_.text(), shape_.text());
    }
  }
  Traffic traffic(int ranks) const override {
    if (gaps_from_.were_given()) return {.compute_s = gaps_from_.mean_s(ranks, gap())};
    const double mean_factor = *shape_ == ImbalanceShape::single ? 1.0 + *imbalance_ / ranks : 1.0;
    return {.compute_s = times().mean() * mean_factor * 1e-9};
  }

  // Times that are drawn have their mean.
  calls::CallList listed_calls(int rank, int ranks) const override {
    if (gaps_from_.were_given()) reject("gaps-from", "its computation is that of another trace");
    if (*imbalance_ > 0.0 && *shape_ == ImbalanceShape::random)
      reject("imbalance-shape", "each rank draws its factor at the start of a run; expected linear or single");
    calls::CallList list(rank, ranks);
    list.compute(std::min(times().mean() * factor_of(rank, ranks), max_duration_ns));
    return list;
  }

  void decompose(const mpi::Group& group, const Draw& draws) override {
    next_ = 0;
    if (*mode_ == ComputeMode::sleep) pause::minimise_timer_slack();
    if (gaps_from_.were_given()) {
      gap_series_ = gaps_from_.series(group, gap(), 1.0, iterations(), draws);
      return gap_series_.fill(0, durations_ns_);
    }
    position_ = draws;
    position_.rank = static_cast<std::uint32_t>(group.rank());
    factor_ = factor_of(group.rank(), group.size());
    const bool varies = *distribution_ != Shape::constant;
    durations_ns_.assign(varies ? static_cast<std::size_t>(std::min(iterations(), max_draws)) : 1,
                         scaled_ns(times().mean()));
  }

  void prepare(std::uint64_t execution) override {
    next_ = 0;
    if (gaps_from_.were_given()) return gap_series_.fill(execution, durations_ns_);
    if (*distribution_ == Shape::constant) return;
    const Distribution distribution = times();
    Draw position = position_;
    position.execution = execution;
    for (std::int64_t& duration : durations_ns_) {
      duration = scaled_ns(distribution.quantile(random_unit(position)));
      ++position.execution;
    }
  }

  void perform(Recorder& recorder) override {
    const std::int64_t duration_ns = durations_ns_[next_];
    next_ = next_ + 1 < durations_ns_.size() ? next_ + 1 : 0;
    if (*mode_ == ComputeMode::sleep) return sleep_for(duration_ns);
    const Computation how = *mode_ == ComputeMode::cpu ? Computation::cpu : Computation::busy;
    pause::until(how, recorder, recorder.now_ns() + duration_ns);
  }

 private:
  captured::GapsFrom::Select gap() const {
    return [this](const trace::RankRecord& record) {
      return captured::gap_before(record, gaps_from_.position(), gaps_from_.times());
    };
  }
  Distribution times() const {
    return {*distribution_, static_cast<double>(mean_->value), static_cast<double>(deviation_->value)};
  }
  std::int64_t scaled_ns(double nanoseconds) const {
    return std::llround(std::min(nanoseconds * factor_, max_duration_ns));
  }

  double factor_of(int rank, int ranks) const {
    switch (*shape_) {
      case ImbalanceShape::linear:
        return ranks == 1 ? 1.0 : 1.0 + *imbalance_ * (2.0 * rank / (ranks - 1) - 1.0);
      case ImbalanceShape::random: {
        Draw position = position_;
        position.execution = factor_position;
        return 1.0 + *imbalance_ * (2.0 * random_unit(position) - 1.0);
      }
      case ImbalanceShape::single:
        return rank == ranks - 1 ? 1.0 + *imbalance_ : 1.0;
    }
    return 1.0;
  }

  Param<Nanoseconds> mean_{this, 'm', "mean", Nanoseconds{100'000}, "time of one computation", Positive{}};
  Param<ComputeMode> mode_{
      this, "mode", ComputeMode::busy,
      "spin as an application would, spin for that much processor time (for ranks that share cores), or sleep"};
  Param<Shape> distribution_{this, "distribution", Shape::constant, "distribution of the times, truncated at 0"};
  Param<Nanoseconds> deviation_{this, "deviation", Nanoseconds{0}, "standard deviation before truncation"};
  Param<double> imbalance_{this, "imbalance", 0.0,
                           "excess of the busiest rank's work over the mean, relative to the mean"};
  Param<ImbalanceShape> shape_{
      this, "imbalance-shape", ImbalanceShape::linear,
      "linear: from 1 - imbalance at rank 0 to 1 + imbalance at the last; random: each rank draws its factor between "
      "the two; single: only the last rank has more"};
  captured::GapsFrom gaps_from_{
      this,
      "trace file of whole iterations of a program: compute for as long as it did before --call, instead of --mean",
      {"call", "position of a call in an iteration of the trace, from 0"}};

  Draw position_;
  double factor_ = 1.0;
  captured::GapSeries gap_series_;
  std::vector<std::int64_t> durations_ns_;
  std::size_t next_ = 0;
};

const RegisterMotif<Compute> registered{"compute", Family::application,
                                        "computation: spins or sleeps for a time that may vary", "StressBench III-A"};

}  // namespace
}  // namespace stressbench
