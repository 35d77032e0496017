// Planning of collective calls: blocks, roots and buffer sizes.

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/error.hpp"
#include "replay/datatypes.hpp"
#include "replay/replay_plan.hpp"

namespace stressbench::replay {
namespace {

constexpr std::int64_t int_max = std::numeric_limits<int>::max();

std::int64_t sum_of(const std::vector<std::int64_t>& values) {
  return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}
const std::vector<std::int64_t>& first_given(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
  return a.empty() ? b : a;
}

}  // namespace

void ReplayPlan::lay_out_collective(const trace::Call& call, Shape shape, Instruction& i) {
  const Element element = element_of(call);
  const trace::Communicator& among = communicator(call.comm);
  const bool is_root = among.rank == call.root;
  if (!call.reduction.empty()) {
    const auto known = reduction_of(call.reduction);
    // The function of a user-defined reduction is unknown, so it is replaced by one that computes nothing.
    i.operation = known && (element.type != MPI_BYTE || call.type == "BYTE") ? *known : own_reduction();
  }
  switch (shape) {
    case Shape::vector:
      i.count = count(element, call.bytes);
      give(element, call.bytes);
      return get(i, element, call.bytes);
    case Shape::scatter_block:
      i.count = count(element, call.bytes);
      give(element, call.bytes * among.size);
      return get(i, element, call.bytes * among.size);
    case Shape::scatter_vector: {
      std::vector<std::int64_t> shares = first_given(call.receive_counts, call.counts);
      if (shares.empty()) {
        const std::int64_t elements = call.bytes / element.unit;
        for (int r = 0; r < among.size; ++r) {
          shares.push_back((elements / among.size + (r < elements % among.size ? 1 : 0)) * element.unit);
        }
      }
      i.get = blocks(element, shares, among.size);
      give(element, sum_of(shares));
      return get(i, element, sum_of(shares));
    }
    case Shape::gather:
      i.count = i.receive_count = count(element, call.bytes);
      give(element, call.bytes);
      return get(i, element, is_root ? call.bytes * among.size : 0);
    case Shape::scatter:
      i.count = i.receive_count = count(element, call.bytes);
      give(element, is_root ? call.bytes * among.size : 0);
      return get(i, element, call.bytes);
    case Shape::allgather:
      i.count = i.receive_count = count(element, call.bytes);
      give(element, call.bytes);
      return get(i, element, call.bytes * among.size);
    case Shape::alltoall:
      i.count = i.receive_count = count(element, call.bytes);
      give(element, call.bytes * among.size);
      return get(i, element, call.bytes * among.size);
    case Shape::gather_blocks:
    case Shape::allgather_blocks: {
      i.count = count(element, call.bytes);
      give(element, call.bytes);
      if (shape == Shape::gather_blocks && !is_root) return;
      const auto& shares = first_given(call.receive_counts, call.counts);
      i.get = blocks(element, shares, among.size);
      return get(i, element, sum_of(shares));
    }
    case Shape::scatter_blocks: {
      std::int64_t own = call.bytes;
      if (is_root) {
        const auto& shares = first_given(call.counts, call.receive_counts);
        i.give = blocks(element, shares, among.size);
        give(element, sum_of(shares));
        own = call.receive_bytes.value_or(shares[static_cast<std::size_t>(among.rank)]);
      }
      i.receive_count = count(element, own);
      return get(i, element, own);
    }
    default:
      if (!call.in_place || !call.counts.empty()) {
        i.give = blocks(element, call.counts, among.size);
        give(element, sum_of(call.counts));
      }
      i.get = blocks(element, call.receive_counts, among.size);
      return get(i, element, sum_of(call.receive_counts));
  }
}

void ReplayPlan::lay_out_neighbours(const trace::Call& call, Shape shape, Instruction& i) {
  const Element element = element_of(call);
  const Degrees degree = degrees(call);
  switch (shape) {
    case Shape::neighbour_allgather:
      i.count = i.receive_count = count(element, call.bytes);
      give(element, call.bytes);
      return get(i, element, call.bytes * degree.in);
    case Shape::neighbour_allgather_blocks:
      i.count = count(element, call.bytes);
      give(element, call.bytes);
      i.get = blocks(element, first_given(call.receive_counts, call.counts), degree.in);
      return get(i, element, sum_of(first_given(call.receive_counts, call.counts)));
    case Shape::neighbour_alltoall:
      i.count = i.receive_count = count(element, call.bytes);
      give(element, call.bytes * degree.out);
      return get(i, element, call.bytes * degree.in);
    default:
      i.give = blocks(element, call.counts, degree.out);
      i.get = blocks(element, call.receive_counts, degree.in);
      give(element, sum_of(call.counts));
      return get(i, element, sum_of(call.receive_counts));
  }
}

Blocks ReplayPlan::blocks(const Element& element, const std::vector<std::int64_t>& bytes, int partners) {
  if (bytes.size() != static_cast<std::size_t>(partners))
    throw UserMistake("sizes for {} ranks; there are {}", bytes.size(), partners);
  std::vector<int> counts;
  std::vector<int> offsets;
  std::vector<int> byte_offsets;
  std::vector<MPI_Aint> long_offsets;
  std::int64_t at = 0;
  for (const std::int64_t size : bytes) {
    counts.push_back(count(element, size));
    const std::int64_t byte_offset = at / element.unit * element.extent;
    offsets.push_back(count(element, at));
    // Only used by MPI_Alltoallw.
    byte_offsets.push_back(static_cast<int>(std::min(byte_offset, int_max)));
    long_offsets.push_back(byte_offset);
    at += size;
  }
  Blocks made;
  made.counts = keep(std::move(counts));
  made.offsets = keep(std::move(offsets));
  made.byte_offsets = keep(std::move(byte_offsets));
  made.long_offsets = addresses_.emplace_back(std::move(long_offsets)).data();
  made.types = type_lists_.emplace_back(static_cast<std::size_t>(partners), element.type).data();
  return made;
}

}  // namespace stressbench::replay
