#include "io/two_phase.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace stressbench::io {
namespace {

Buffering buffering_of(const Hint& hint) {
  if (hint.value == "automatic") return Buffering::automatic;
  if (hint.value == "enable") return Buffering::enable;
  if (hint.value == "disable") return Buffering::disable;
  reject("hint", "{}={}: expected automatic, enable or disable", hint.key, hint.value);
}

std::int64_t count_of(const Hint& hint, std::int64_t most) {
  try {
    const std::int64_t value = units::count(hint.value);
    if (value > 0 && value <= most) return value;
  } catch (const UserMistake&) {
  }
  reject("hint", "{}={}: expected a number from 1 to {}", hint.key, hint.value, most);
}

}  // namespace

ByteRange overlap(const ByteRange& a, const ByteRange& b) noexcept {
  const std::int64_t begin = std::max(a.begin, b.begin);
  return {begin, std::max(begin, std::min(a.end, b.end))};
}

SimulatedHints simulated_hints(std::span<const Hint> hints) {
  constexpr std::int64_t most_nodes = std::numeric_limits<int>::max();
  constexpr std::int64_t most_bytes = std::numeric_limits<std::int64_t>::max() / most_nodes;
  SimulatedHints simulated;
  for (const Hint& hint : hints) {
    if (hint.key == "romio_cb_write") {
      simulated.write = buffering_of(hint);
    } else if (hint.key == "romio_cb_read") {
      simulated.read = buffering_of(hint);
    } else if (hint.key == "cb_nodes") {
      simulated.aggregators = static_cast<int>(count_of(hint, most_nodes));
    } else if (hint.key == "cb_buffer_size") {
      simulated.buffer_bytes = count_of(hint, most_bytes);
    } else if (hint.key == "striping_factor") {
      simulated.stripe_count = static_cast<int>(count_of(hint, most_nodes));
    } else if (hint.key == "striping_unit") {
      simulated.stripe_bytes = count_of(hint, most_bytes);
    } else {
      simulated.notes.push_back(fmt::format("hint {}={}: has no effect in a simulation", hint.key, hint.value));
      continue;
    }
    simulated.notes.push_back(fmt::format("hint {}={}: taken", hint.key, hint.value));
  }
  return simulated;
}

bool is_two_phase(Buffering buffering, std::span<const ByteRange> ranges) noexcept {
  if (buffering != Buffering::automatic) return buffering == Buffering::enable;
  std::int64_t end = std::numeric_limits<std::int64_t>::min();
  for (const ByteRange& range : ranges) {
    if (range.size() == 0) continue;
    if (range.begin < end) return true;
    end = range.end;
  }
  return false;
}

FileDomains::FileDomains(std::span<const ByteRange> ranges, int aggregators, std::int64_t buffer_bytes) noexcept
    : buffer_bytes_(buffer_bytes) {
  bool first = true;
  for (const ByteRange& range : ranges) {
    if (range.size() == 0) continue;
    all_ = first ? range : ByteRange{std::min(all_.begin, range.begin), std::max(all_.end, range.end)};
    first = false;
  }
  domain_bytes_ = (all_.size() + aggregators - 1) / aggregators;
  rounds_ = (domain_bytes_ + buffer_bytes - 1) / buffer_bytes;
}

ByteRange FileDomains::window(int aggregator, std::int64_t round) const noexcept {
  const std::int64_t begin = all_.begin + aggregator * domain_bytes_;
  const ByteRange domain = overlap({begin, begin + domain_bytes_}, all_);
  const std::int64_t start = domain.begin + round * buffer_bytes_;
  return overlap({start, start + buffer_bytes_}, domain);
}

ByteRange accessed_in(const ByteRange& window, std::span<const ByteRange> ranges) noexcept {
  std::int64_t bytes = 0;
  std::int64_t begin = window.end;
  for (const ByteRange& range : ranges) {
    const ByteRange part = overlap(range, window);
    if (part.size() == 0) continue;
    bytes += part.size();
    begin = std::min(begin, part.begin);
  }
  return {begin, begin + bytes};
}

}  // namespace stressbench::io
