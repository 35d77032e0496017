// The values that one rank measured in one round: one row per repetition, with one column for the job, each step and
// each metric.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace stressbench::scheduler {

enum class Phase : std::int32_t { warmup, measured, extra };

// The phases of a round that last until the other jobs are done, so that their number of repetitions is unbounded.
enum class OpenEndedPhases { extra_only, measured_too };

struct RowHead {
  std::int64_t repetition = 0;
  Phase phase = Phase::measured;
};

// Rows stay in memory until the round ends, since writing or reducing them earlier would disturb the measurement.
// Memory is bounded: when a phase has `capacity` values, every second of its repetitions is dropped, and from then on
// only every `stride`-th is kept. All ranks of a job drop the same ones, and extra repetitions never displace measured
// ones. The counts in `repetitions` are exact.
//
// At most `sustained_rows` rows are kept of repetitions that only load the machine while other jobs run.
class SampleBuffer {
 public:
  explicit SampleBuffer(std::size_t columns, std::size_t capacity = default_capacity,
                        OpenEndedPhases sustained = OpenEndedPhases::extra_only);

  // The row of the current repetition, initially all zero.
  std::span<double> next() noexcept { return current_; }
  void commit(Phase phase);

  std::size_t columns() const noexcept { return current_.size(); }
  const std::vector<RowHead>& heads() const noexcept { return heads_; }
  std::span<const double> row(std::size_t index) const noexcept {
    return std::span(values_).subspan(index * columns(), columns());
  }
  std::span<const double> values() const noexcept { return values_; }
  std::int64_t repetitions(Phase phase) const noexcept { return phases_[static_cast<std::size_t>(phase)].repetitions; }
  std::int64_t stride(Phase phase) const noexcept { return phases_[static_cast<std::size_t>(phase)].stride; }

  static constexpr std::size_t default_capacity = 1U << 17;  // 1 MiB of doubles
  static constexpr std::size_t sustained_rows = 512;

 private:
  struct PhaseState {
    std::int64_t repetitions = 0;
    std::int64_t first = 0;  // first repetition of the phase
    std::int64_t stride = 1;
    std::size_t rows = 0;
  };
  void thin(Phase phase);
  std::size_t max_rows(Phase phase) const noexcept;

  std::vector<double> current_;
  std::vector<double> values_;
  std::vector<RowHead> heads_;
  std::size_t max_rows_;
  OpenEndedPhases sustained_;
  std::int64_t total_ = 0;
  std::array<PhaseState, 3> phases_;
};

}  // namespace stressbench::scheduler
