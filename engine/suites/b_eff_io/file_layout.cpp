// b_eff_io: its files, and the location of the data of each pattern in these.
#include <limits>

#include "suites/b_eff_io/b_eff_io.hpp"

namespace stressbench::beff {
namespace {

constexpr std::int64_t shared_files = 4;  // of a partition: types 0, 1, 3 and 4

}  // namespace

io::Layout BEffIo::layout() const {
  io::Layout layout;
  for (const Partition& partition : parts_) layout.files += shared_files + partition.ranks;
  return layout;
}

std::string BEffIo::name_of(const Partition& partition, IoType type) const {
  std::int64_t first = 0;
  for (int before = 0; before < partition.index; ++before)
    first += shared_files + parts_[static_cast<std::size_t>(before)].ranks;
  if (type == IoType::separate) return io::file_name(*path_, first + shared_files + own_.rank());
  return io::file_name(*path_, first + index_of(type) - (type > IoType::separate ? 1 : 0));
}

// Maximum number of calls of a rank in the initial writing of a pattern.
std::int64_t BEffIo::room_for(const Partition& partition, const IoPattern& pattern) const {
  if (pattern.fills) {
    const std::int64_t rest = partition.segment_bytes - position_;
    return (rest + pattern.chunk_bytes - 1) / pattern.chunk_bytes;
  }
  if (pattern.units == 0) return 1;
  if (*calls_ > 0) return *calls_;
  if (in_segments(pattern.type)) return repeats_in_segment(partition, pattern);
  if (limit_->value == 0) return std::numeric_limits<std::int32_t>::max();
  const double share =
      static_cast<double>(pattern.units) / units_of(IoAccess::write) / static_cast<double>(parts_.size());
  const double of_call = static_cast<double>(pattern.memory_bytes) * partition.ranks;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(limit_->value) * share / of_call));
}

// As often as a rank wrote this chunk in the same time to a file of its own or, if that was not measured, with the
// first other type that was. Types 1 to 4 have the same chunks in the same order, type 0 in another order.
std::int64_t BEffIo::repeats_in_segment(const Partition& partition, const IoPattern& pattern) const {
  if (pattern.units == 0) return 1;
  if (*calls_ > 0) return *calls_;
  for (const IoType type : {IoType::separate, IoType::shared, IoType::scatter}) {
    if (!has(type)) continue;
    for (const IoPattern& known : patterns_) {
      if (known.type != type || known.units == 0 || known.chunk_bytes != pattern.chunk_bytes) continue;
      const auto calls = static_cast<double>(partition.written[static_cast<std::size_t>(known.number)]);
      const double chunks = calls * static_cast<double>(known.memory_bytes / known.chunk_bytes) / partition.ranks;
      return std::max<std::int64_t>(1, static_cast<std::int64_t>(chunks * pattern.units / known.units));
    }
  }
  return 1;
}

void BEffIo::lay_out_segments(Partition& partition) {
  std::int64_t sum = 0;
  for (const IoPattern& pattern : patterns_) {
    if (pattern.type == IoType::segmented && !pattern.fills)
      sum += repeats_in_segment(partition, pattern) * pattern.chunk_bytes;
  }
  partition.segment_bytes = segment_bytes(sum);
}

std::int64_t BEffIo::bytes_of_call(const Partition& partition, const IoPattern& pattern, const FileRegion& region,
                                   std::int64_t call) const {
  if (!pattern.fills) return pattern.memory_bytes;
  return std::min(pattern.chunk_bytes, partition.segment_bytes - region.base - call * pattern.chunk_bytes);
}

// Moves to the first byte of a pattern's data.
void BEffIo::seek_to(IoFile& file, const Partition& partition, const IoPattern& pattern, const FileRegion& region) {
  const int rank = partition.group.rank();
  switch (pattern.type) {
    case IoType::scatter:
      file.stride(region.base, pattern.chunk_bytes, rank, partition.ranks);
      break;
    case IoType::shared:
      if (!*no_shared_ && shared_at_ != region.base) file.seek_shared(region.base);
      shared_at_ = region.base;
      break;
    case IoType::separate:
      file.seek(region.base);
      break;
    case IoType::segmented:
    case IoType::segmented_collective:
      file.seek(rank * partition.segment_bytes + region.base);
      break;
  }
}
}  // namespace stressbench::beff
