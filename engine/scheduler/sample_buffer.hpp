// What one rank measured in one round: a row a repetition, a column for the job, each step and each of their metrics.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace stressbench::scheduler {

enum class Phase : std::int32_t { warmup, measured, extra };

// Which phases of a round go on until others are done.
enum class OpenEndedPhases { extra_only, measured_too };

struct RowHead {
  std::int64_t repetition = 0;
  Phase phase = Phase::measured;
};

// Rows are kept in memory until the round ends, since writing or reducing them earlier would disturb what is measured.
// Memory is bounded: when a phase has `capacity` values, every second of its repetitions is dropped and from then on
// only each `stride`-th is kept. All ranks of a job drop the same ones, and a sustained job's extra repetitions never
// push out measured ones. Whole counts are kept in `repetitions`.
//
// What a job does only to keep the machine loaded, for as long as others take, says no more for being told a hundred
// thousand times: of it `sustained_rows` are enough.
class SampleBuffer {
 public:
  explicit SampleBuffer(std::size_t columns, std::size_t capacity = default_capacity,
                        OpenEndedPhases sustained = OpenEndedPhases::extra_only);

  // The row that the present repetition writes to, all zero.
  std::span<double> next() noexcept { return current_; }
  void commit(Phase phase);

  std::size_t columns() const noexcept { return current_.size(); }
  const std::vector<RowHead>& heads() const noexcept { return heads_; }
  std::span<const double> row(std::size_t index) const noexcept {
    return std::span(values_).subspan(index * columns(), columns());
  }
  std::span<const double> values() const noexcept { return values_; }
  std::int64_t repetitions(Phase phase) const noexcept { return stores_[static_cast<std::size_t>(phase)].seen; }
  std::int64_t stride(Phase phase) const noexcept { return stores_[static_cast<std::size_t>(phase)].stride; }

  static constexpr std::size_t default_capacity = 1U << 17;  // 1 MiB of doubles
  static constexpr std::size_t sustained_rows = 512;

 private:
  struct Store {
    std::int64_t seen = 0;
    std::int64_t first = 0;  // repetition that the phase began with
    std::int64_t stride = 1;
    std::size_t rows = 0;
  };
  void thin(Phase phase);
  std::size_t most_rows(Phase phase) const noexcept;

  std::vector<double> current_;
  std::vector<double> values_;
  std::vector<RowHead> heads_;
  std::size_t max_rows_;
  OpenEndedPhases sustained_;
  std::int64_t total_ = 0;
  std::array<Store, 3> stores_;
};

}  // namespace stressbench::scheduler
