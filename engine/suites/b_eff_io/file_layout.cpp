// b_eff_io: its files, and the location of the data of each pattern in these.
#include <limits>

#include "suites/b_eff_io/b_eff_io.hpp"

namespace stressbench::beff {
namespace {

constexpr std::int64_t shared_files = 4;  // of a partition: types 0, 1, 3 and 4

}  // namespace

io::Layout BEffIo::layout() const {
  io::Layout layout;
  for (const Partition& partition : measured_partitions_) layout.files += shared_files + partition.ranks;
  return layout;
}

std::string BEffIo::file_name_of(const Partition& partition, IoType type) const {
  std::int64_t first = 0;
  for (int earlier = 0; earlier < partition.index; ++earlier)
    first += shared_files + measured_partitions_[static_cast<std::size_t>(earlier)].ranks;
  if (type == IoType::separate) return io::file_name(*path_, first + shared_files + partition.group.rank());
  return io::file_name(*path_, first + index_of(type) - (type > IoType::separate ? 1 : 0));
}

// Maximum number of calls of a rank in the initial writing of a pattern.
std::int64_t BEffIo::max_calls(const Partition& partition, const IoPattern& pattern) const {
  if (pattern.fills) return next_base_ < partition.segment_bytes ? 1 : 0;
  if (pattern.units == 0) return 1;
  if (*calls_ > 0) return *calls_;
  if (is_segmented(pattern.type)) return calls_per_segment(partition, pattern);
  if (limit_->value == 0) return std::numeric_limits<std::int32_t>::max();
  const double share =
      static_cast<double>(pattern.units) / units_of(IoAccess::write) / static_cast<double>(measured_partitions_.size());
  const double bytes_per_call = static_cast<double>(pattern.memory_bytes) * partition.ranks;
  return std::max<std::int64_t>(1,
                                static_cast<std::int64_t>(static_cast<double>(limit_->value) * share / bytes_per_call));
}

// As often as a rank wrote this chunk in the same time to its own file or, if that was not measured, with the first
// other type that was.
std::int64_t BEffIo::calls_per_segment(const Partition& partition, const IoPattern& pattern) const {
  if (pattern.units == 0) return 1;
  if (*calls_ > 0) return *calls_;
  for (const IoType type : {IoType::separate, IoType::shared, IoType::scatter}) {
    if (!includes(type)) continue;
    const IoPattern& reference = counterpart(patterns_, pattern, type);
    const auto calls = static_cast<double>(partition.written_calls[static_cast<std::size_t>(reference.number)]);
    const double chunks = calls * static_cast<double>(reference.memory_bytes / reference.chunk_bytes) / partition.ranks;
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(chunks * pattern.units / reference.units));
  }
  return 1;
}

void BEffIo::set_segment_length(Partition& partition) {
  std::int64_t sum = 0;
  for (const IoPattern& pattern : patterns_) {
    if (pattern.type == IoType::segmented && !pattern.fills)
      sum += calls_per_segment(partition, pattern) * pattern.chunk_bytes;
  }
  partition.segment_bytes = segment_bytes(sum);
}

std::int64_t BEffIo::call_bytes(const Partition& partition, const IoPattern& pattern, const FileRegion& region) const {
  return pattern.fills ? partition.segment_bytes - region.base : pattern.memory_bytes;
}

// Moves to the data of a call in a pattern's data.
void BEffIo::seek_to(IoFile& file, const Partition& partition, const PatternRun& run, std::int64_t call) {
  const IoPattern& pattern = *run.pattern;
  const std::int64_t offset = call * pattern.memory_bytes;
  const std::int64_t base = run.region->base;
  switch (pattern.type) {
    case IoType::scatter:
      file.seek(offset);
      break;
    case IoType::shared:
      if (!*no_shared_ && shared_pointer_ != base + offset * partition.ranks)
        file.seek_shared(base + offset * partition.ranks);
      shared_pointer_ = base + offset * partition.ranks;
      break;
    case IoType::separate:
      file.seek(base + offset);
      break;
    case IoType::segmented:
    case IoType::segmented_collective:
      file.seek(partition.group.rank() * partition.segment_bytes + base + offset);
      break;
  }
}

// Moves to the first byte of a pattern's data.
void BEffIo::seek_to_pattern(IoFile& file, const Partition& partition, const PatternRun& run) {
  if (run.pattern->type != IoType::scatter) return seek_to(file, partition, run, 0);
  file.set_strided_view(run.region->base, run.pattern->chunk_bytes, partition.group.rank(), partition.ranks);
}

// The order of a pattern's calls in random access: the same on all ranks of a collective pattern, another for each
// access and each execution.
Permutation BEffIo::random_order(const PatternRun& run) const {
  Draw draw = order_draw_;
  draw.rank = collective(run.pattern->type) ? 0 : static_cast<std::uint32_t>(group_.rank()) + 1;
  draw.execution += static_cast<std::uint64_t>(run.pattern->number * 3 + index_of(run.access));
  return Permutation(run.max_calls, random_bits(draw));
}
}  // namespace stressbench::beff
