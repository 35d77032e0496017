// Planning of collective calls: blocks, roots and buffer sizes.

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/checked.hpp"
#include "core/error.hpp"
#include "replay/datatypes.hpp"
#include "replay/replay_plan.hpp"

namespace stressbench::replay {
namespace {

constexpr std::int64_t int_max = std::numeric_limits<int>::max();

std::int64_t sum_of(const std::vector<std::int64_t>& values) {
  return std::accumulate(values.begin(), values.end(), std::int64_t{0}, checked::sum);
}
const std::vector<std::int64_t>& first_given(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
  return a.empty() ? b : a;
}

}  // namespace

void ReplayPlan::plan_collective(const trace::Call& call, ArgumentKind argument_kind, Instruction& i) {
  const Element element = element_of(call);
  const trace::Communicator& comm = communicator(call.comm);
  const bool is_root = comm.rank == call.root;
  if (!call.reduction.empty()) {
    const auto known = reduction_of(call.reduction);
    // The function of a user-defined reduction is unknown, so it is replaced by one that computes nothing.
    i.operation = known && (element.type != MPI_BYTE || call.type == "BYTE") ? *known : placeholder_reduction();
  }
  switch (argument_kind) {
    case ArgumentKind::vector:
      i.count = count(element, call.bytes);
      reserve_send_buffer(i, element, call.bytes);
      return reserve_receive_buffer(i, element, call.bytes);
    case ArgumentKind::scatter_block:
      i.count = count(element, call.bytes);
      reserve_send_buffer(i, element, checked::product(call.bytes, comm.size));
      return reserve_receive_buffer(i, element, checked::product(call.bytes, comm.size));
    case ArgumentKind::scatter_vector: {
      std::vector<std::int64_t> shares = first_given(call.receive_counts, call.counts);
      if (shares.empty()) {
        const std::int64_t elements = call.bytes / element.unit;
        for (int r = 0; r < comm.size; ++r) {
          shares.push_back((elements / comm.size + (r < elements % comm.size ? 1 : 0)) * element.unit);
        }
      }
      i.receive_blocks = blocks(element, shares, comm.size);
      reserve_send_buffer(i, element, sum_of(shares));
      return reserve_receive_buffer(i, element, sum_of(shares));
    }
    case ArgumentKind::gather:
      i.count = i.receive_count = count(element, call.bytes);
      reserve_send_buffer(i, element, call.bytes);
      return reserve_receive_buffer(i, element, is_root ? checked::product(call.bytes, comm.size) : 0);
    case ArgumentKind::scatter:
      i.count = i.receive_count = count(element, call.bytes);
      reserve_send_buffer(i, element, is_root ? checked::product(call.bytes, comm.size) : 0);
      return reserve_receive_buffer(i, element, call.bytes);
    case ArgumentKind::allgather:
      i.count = i.receive_count = count(element, call.bytes);
      reserve_send_buffer(i, element, call.bytes);
      return reserve_receive_buffer(i, element, checked::product(call.bytes, comm.size));
    case ArgumentKind::alltoall:
      i.count = i.receive_count = count(element, call.bytes);
      reserve_send_buffer(i, element, checked::product(call.bytes, comm.size));
      return reserve_receive_buffer(i, element, checked::product(call.bytes, comm.size));
    case ArgumentKind::gather_blocks:
    case ArgumentKind::allgather_blocks: {
      i.count = count(element, call.bytes);
      reserve_send_buffer(i, element, call.bytes);
      if (argument_kind == ArgumentKind::gather_blocks && !is_root) return;
      const auto& shares = first_given(call.receive_counts, call.counts);
      i.receive_blocks = blocks(element, shares, comm.size);
      return reserve_receive_buffer(i, element, sum_of(shares));
    }
    case ArgumentKind::scatter_blocks: {
      std::int64_t own = call.bytes;
      if (is_root) {
        const auto& shares = first_given(call.counts, call.receive_counts);
        i.send_blocks = blocks(element, shares, comm.size);
        reserve_send_buffer(i, element, sum_of(shares));
        own = call.receive_bytes.value_or(shares[static_cast<std::size_t>(comm.rank)]);
      }
      i.receive_count = count(element, own);
      return reserve_receive_buffer(i, element, own);
    }
    default:
      if (!call.in_place || !call.counts.empty()) {
        i.send_blocks = blocks(element, call.counts, comm.size);
        reserve_send_buffer(i, element, sum_of(call.counts));
      }
      i.receive_blocks = blocks(element, call.receive_counts, comm.size);
      return reserve_receive_buffer(i, element, sum_of(call.receive_counts));
  }
}

void ReplayPlan::plan_neighbour_collective(const trace::Call& call, ArgumentKind argument_kind, Instruction& i) {
  const Element element = element_of(call);
  const Degrees degree = degrees(call);
  switch (argument_kind) {
    case ArgumentKind::neighbour_allgather:
      i.count = i.receive_count = count(element, call.bytes);
      reserve_send_buffer(i, element, call.bytes);
      return reserve_receive_buffer(i, element, checked::product(call.bytes, degree.in));
    case ArgumentKind::neighbour_allgather_blocks:
      i.count = count(element, call.bytes);
      reserve_send_buffer(i, element, call.bytes);
      i.receive_blocks = blocks(element, first_given(call.receive_counts, call.counts), degree.in);
      return reserve_receive_buffer(i, element, sum_of(first_given(call.receive_counts, call.counts)));
    case ArgumentKind::neighbour_alltoall:
      i.count = i.receive_count = count(element, call.bytes);
      reserve_send_buffer(i, element, checked::product(call.bytes, degree.out));
      return reserve_receive_buffer(i, element, checked::product(call.bytes, degree.in));
    default:
      i.send_blocks = blocks(element, call.counts, degree.out);
      i.receive_blocks = blocks(element, call.receive_counts, degree.in);
      reserve_send_buffer(i, element, sum_of(call.counts));
      return reserve_receive_buffer(i, element, sum_of(call.receive_counts));
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
    const std::int64_t byte_offset = checked::product(at / element.unit, element.extent);
    offsets.push_back(count(element, at));
    // Only used by MPI_Alltoallw.
    byte_offsets.push_back(static_cast<int>(std::min(byte_offset, int_max)));
    long_offsets.push_back(byte_offset);
    at = checked::sum(at, size);
  }
  Blocks result;
  result.counts = store(std::move(counts));
  result.offsets = store(std::move(offsets));
  result.byte_offsets = store(std::move(byte_offsets));
  result.long_offsets = address_lists_.emplace_back(std::move(long_offsets)).data();
  result.types = type_lists_.emplace_back(static_cast<std::size_t>(partners), element.type).data();
  return result;
}

}  // namespace stressbench::replay
