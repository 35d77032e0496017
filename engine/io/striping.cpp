#include "io/striping.hpp"

#include <algorithm>

namespace stressbench::io {
namespace {

// Bytes below `end` that are in the stripes `position`, `position` + `period`, ... of this size.
std::int64_t bytes_below(std::int64_t end, std::int64_t stripe_bytes, int position, int period) noexcept {
  const std::int64_t cycle_bytes = stripe_bytes * period;
  const std::int64_t rest = end % cycle_bytes - position * stripe_bytes;
  return end / cycle_bytes * stripe_bytes + std::clamp(rest, std::int64_t{0}, stripe_bytes);
}

}  // namespace

std::vector<std::int64_t> bytes_by_node(const Striping& striping, int nodes, std::int64_t begin, std::int64_t end) {
  std::vector<std::int64_t> bytes(static_cast<std::size_t>(nodes));
  if (striping.stripe_bytes == 0) {
    bytes[static_cast<std::size_t>(striping.first_node)] = end - begin;
    return bytes;
  }
  const int period = striping.node_count;
  for (int position = 0; position < period; ++position) {
    bytes[static_cast<std::size_t>((striping.first_node + position) % nodes)] =
        bytes_below(end, striping.stripe_bytes, position, period) -
        bytes_below(begin, striping.stripe_bytes, position, period);
  }
  return bytes;
}

}  // namespace stressbench::io
