#include "calls/call_list_executor.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <numeric>

#include "core/payload.hpp"
#include "mpi/call_or_start.hpp"

namespace stressbench::calls {
namespace {

constexpr std::size_t element_types = 5;
// The most that a test takes of the computation during which it takes place, as in the tracer (docs/trace-format.md).
constexpr std::int64_t longest_test_ns = 2000;

MPI_Datatype datatype_of(ElementType type) noexcept {
  switch (type) {
    case ElementType::bytes:
      return MPI_BYTE;
    case ElementType::shorts:
      return MPI_SHORT;
    case ElementType::ints:
      return MPI_INT;
    case ElementType::floats:
      return MPI_FLOAT;
    case ElementType::doubles:
      return MPI_DOUBLE;
  }
  return MPI_BYTE;
}

// Whether `is` holds for a call of the list.
template <class Is>
bool any_call(const CallList& list, Is is) {
  return std::ranges::any_of(list.calls(), [&](const Call& call) { return std::visit(is, call); });
}

// The request that a call creates; none for a blocking call.
template <class C>
std::optional<Request> created_request(const C& call) noexcept {
  if constexpr (IsCollective<C>) {
    return call.request;
  } else if constexpr (std::derived_from<C, Isend> || std::derived_from<C, Irecv> || std::same_as<C, UnmatchedIrecv>) {
    return call.request;
  } else {
    return std::nullopt;
  }
}

std::size_t total(const std::vector<int>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::size_t{0},
                         [](std::size_t sum, int count) { return sum + static_cast<std::size_t>(count); });
}

// Allocates offsets in a buffer, aligned to 64 bytes.
class OffsetAllocator {
 public:
  std::size_t allocate(std::size_t bytes) noexcept {
    const std::size_t at = size_;
    size_ += (bytes + 63) / 64 * 64;
    return at;
  }
  std::size_t size() const noexcept { return size_; }

 private:
  std::size_t size_ = 0;
};

// Writes `count` ones, for which the result of every supported reduction is known.
template <class T>
void write_ones(std::byte* to, std::size_t count) noexcept {
  const T one = 1;
  for (std::size_t k = 0; k < count; ++k) std::memcpy(to + k * sizeof one, &one, sizeof one);
}

// Calls visit(T{}), where T is the C++ type of an element.
template <class Visit>
auto with_type(ElementType type, Visit visit) {
  switch (type) {
    case ElementType::shorts:
      return visit(short{});
    case ElementType::ints:
      return visit(int{});
    case ElementType::floats:
      return visit(float{});
    default:
      return visit(double{});
  }
}

template <class T>
bool all_are(const std::byte* from, std::size_t count, T wanted) noexcept {
  for (std::size_t k = 0; k < count; ++k) {
    T found;
    std::memcpy(&found, from + k * sizeof found, sizeof found);
    if (found != wanted) return false;
  }
  return true;
}

}  // namespace

CallListExecutor::CallListExecutor(CallList calls, const mpi::Group& group, Bytes working_set)
    : calls_(std::move(calls)), group_(&group), working_set_(working_set) {
  for (const CallList::Split& split : calls_.splits()) splits_.push_back(group.split(split.colour, split.ranks.rank));
  for (const std::vector<int>& counts : calls_.lists()) {
    List list{counts, {}};
    list.displacements.resize(list.counts.size());
    std::exclusive_scan(list.counts.begin(), list.counts.end(), list.displacements.begin(), 0);
    lists_.push_back(std::move(list));
  }
  if (any_call(calls_, []<class C>(const C& call) {
        if constexpr (IsReduction<C>) return call.op == ReduceOp::user;
        return false;
      }))
    user_reduction_ = mpi::LargestMagnitude::create();
  requests_.assign(static_cast<std::size_t>(calls_.request_slots()), MPI_REQUEST_NULL);
  if (any_call(calls_, []<class C>(const C& call) {
        if constexpr (requires { call.source; }) return call.source == Source::any_of_several;
        return false;
      }))
    senders_.assign(requests_.size(), -1);
  remaining_passes_.assign(calls_.calls().size(), 0);
  assign_buffers(Memory::shared);
}

CallListExecutor::~CallListExecutor() { free_persistent(); }

template <class C>
std::size_t CallListExecutor::send_bytes(const C& call) const {
  std::size_t count = 0;
  if constexpr (Sends<C>) {
    count = static_cast<std::size_t>(call.out.count);
  } else if constexpr (std::same_as<C, Alltoallv>) {
    count = total(list(call.counts_to).counts);
  } else if constexpr (IsCollective<C> && !std::same_as<C, Barrier>) {
    count = static_cast<std::size_t>(call.count);
    if constexpr (std::same_as<C, Alltoall> || std::same_as<C, ReduceScatter>) {
      count *= static_cast<std::size_t>(ranks_of(call).size());
    }
  }
  if constexpr (requires { call.type; }) count *= static_cast<std::size_t>(size_of(call.type));
  return count;
}

template <class C>
std::size_t CallListExecutor::receive_bytes(const C& call) const {
  std::size_t count = 0;
  if constexpr (Receives<C>) {
    count = static_cast<std::size_t>(call.in.capacity);
  } else if constexpr (std::same_as<C, UnmatchedIrecv>) {
    count = static_cast<std::size_t>(call.capacity);
  } else if constexpr (std::same_as<C, Alltoallv>) {
    count = total(list(call.counts_from).counts);
  } else if constexpr (std::same_as<C, Allgatherv>) {
    count = total(list(call.counts).counts);
  } else if constexpr (IsCollective<C> && !std::same_as<C, Barrier>) {
    count = static_cast<std::size_t>(call.count);
    if constexpr (std::same_as<C, Alltoall> || std::same_as<C, Allgather>) {
      count *= static_cast<std::size_t>(ranks_of(call).size());
    }
  }
  if constexpr (requires { call.type; }) count *= static_cast<std::size_t>(size_of(call.type));
  return count;
}

// Assigns memory to the calls. Shared: one buffer for all blocking calls, one per request, and one per element type for
// the operands of reductions (which hold ones). Separate: one buffer per call, but one for all receives that no message
// matches, into which nothing is written.
void CallListExecutor::assign_buffers(Memory memory) {
  memory_ = memory;
  OffsetAllocator out;
  OffsetAllocator in;
  std::vector<BufferOffsets> of_request(requests_.size());
  BufferOffsets of_blocking;
  std::array<std::size_t, element_types> of_ones{};
  BufferOffsets of_unmatched;
  if (memory == Memory::separate) {
    std::size_t longest = 0;
    for (const Call& call : calls_.calls()) {
      if (const auto* unmatched = std::get_if<UnmatchedIrecv>(&call))
        longest = std::max(longest, receive_bytes(*unmatched));
    }
    of_unmatched.in = in.allocate(longest);
  } else {
    std::vector<BufferOffsets> request_bytes(requests_.size());
    BufferOffsets blocking_bytes;
    std::array<std::size_t, element_types> ones_bytes{};
    const auto measure = [&]<class C>(const C& call) {
      const std::optional<Request> request = created_request(call);
      BufferOffsets& largest = request ? request_bytes[static_cast<std::size_t>(request->slot)] : blocking_bytes;
      std::size_t* largest_out = &largest.out;
      if constexpr (IsReduction<C>) {
        if (!request) largest_out = &ones_bytes[static_cast<std::size_t>(call.type)];
      }
      *largest_out = std::max(*largest_out, send_bytes(call));
      largest.in = std::max(largest.in, receive_bytes(call));
    };
    for (const Call& call : calls_.calls()) std::visit(measure, call);
    for (const PersistentCall& call : calls_.persistent()) std::visit(measure, call);
    for (std::size_t k = 0; k < of_request.size(); ++k) {
      of_request[k] = {out.allocate(request_bytes[k].out), in.allocate(request_bytes[k].in)};
    }
    of_blocking = {out.allocate(blocking_bytes.out), in.allocate(blocking_bytes.in)};
    for (std::size_t k = 0; k < element_types; ++k) of_ones[k] = out.allocate(ones_bytes[k]);
  }
  const auto place_of = [&]<class C>(const C& call) -> BufferOffsets {
    if (memory == Memory::separate) {
      if constexpr (std::same_as<C, UnmatchedIrecv>) return of_unmatched;
      return {out.allocate(send_bytes(call)), in.allocate(receive_bytes(call))};
    }
    if (const auto request = created_request(call)) return of_request[static_cast<std::size_t>(request->slot)];
    if constexpr (IsReduction<C>) {
      return {of_ones[static_cast<std::size_t>(call.type)], of_blocking.in};
    } else {
      return of_blocking;
    }
  };
  const auto offsets_of = [&](const auto& call) {
    BufferOffsets offsets = place_of(call);
    offsets.out_bytes = send_bytes(call);
    return offsets;
  };
  offsets_.clear();
  persistent_offsets_.clear();
  for (const Call& call : calls_.calls()) offsets_.push_back(std::visit(offsets_of, call));
  for (const PersistentCall& call : calls_.persistent()) persistent_offsets_.push_back(std::visit(offsets_of, call));
  free_persistent();
  sent_ = SentMemory();
  offsets_of_request_.assign(requests_.size(), {});
  send_buffer_ = Buffer(out.size());
  receive_buffer_ = Buffer(in.size());
  create_persistent();
  fill_reductions();
}

void CallListExecutor::create_persistent() {
  for (std::size_t k = 0; k < calls_.persistent().size(); ++k) {
    std::visit(
        [&](const auto& message) {
          create_request(message, persistent_offsets_[k]);
          remember_sent(message, persistent_offsets_[k]);
        },
        calls_.persistent()[k]);
  }
}

void CallListExecutor::create_request(const Isend& send, const BufferOffsets& offsets) {
  mpi::check(MPI_Send_init(send_buffer_.data() + offsets.out, send.out.count, datatype_of(send.type), send.out.to,
                           send.out.tag, group_->handle(), &requests_[static_cast<std::size_t>(send.request.slot)]),
             "MPI_Send_init");
}

void CallListExecutor::create_request(const Irecv& receive, const BufferOffsets& offsets) {
  mpi::check(MPI_Recv_init(receive_buffer_.data() + offsets.in, receive.in.capacity, datatype_of(receive.type),
                           receive.in.from, receive.in.tag, group_->handle(),
                           &requests_[static_cast<std::size_t>(receive.request.slot)]),
             "MPI_Recv_init");
}

void CallListExecutor::free_persistent() noexcept {
  for (const PersistentCall& call : calls_.persistent()) {
    const Request slot = std::visit([](const auto& message) { return message.request; }, call);
    MPI_Request& request = requests_[static_cast<std::size_t>(slot.slot)];
    if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
  }
}

template <class Visit>
void CallListExecutor::for_each_call(Visit visit) const {
  for (std::size_t k = 0; k < offsets_.size(); ++k) {
    std::visit([&](const auto& call) { visit(call, offsets_[k]); }, calls_.calls()[k]);
  }
  for (std::size_t k = 0; k < persistent_offsets_.size(); ++k) {
    std::visit([&](const auto& call) { visit(call, persistent_offsets_[k]); }, calls_.persistent()[k]);
  }
}

void CallListExecutor::fill_reductions() {
  for_each_call([&]<class C>(const C& call, const BufferOffsets& offsets) {
    if constexpr (IsReduction<C>) {
      with_type(call.type,
                [&]<class T>(T) { write_ones<T>(send_buffer_.data() + offsets.out, send_bytes(call) / sizeof(T)); });
    }
  });
}

template <class OnComputation, class OnCall>
void CallListExecutor::for_each_execution(OnComputation on_computation, OnCall on_call) {
  calls::for_each_execution(calls_.calls(), remaining_passes_, [&](const Call& call, std::size_t k) {
    std::visit(
        [&]<class C>(const C& one) {
          if constexpr (std::same_as<C, Compute>) {
            on_computation(one);
          } else if constexpr (!std::same_as<C, Repeat> && !std::same_as<C, EndRepeat>) {
            on_call(one, offsets_[k]);
          }
        },
        call);
  });
}

void CallListExecutor::perform(const Recorder& recorder, ComputeTimes& compute_times) {
  if (!compute_times.gaps_ns.empty()) return perform_with_gaps(recorder, compute_times);
  for_each_execution(
      [&](const Compute& compute) {
        if (compute_times.how == Computation::off) return;
        const std::int64_t now_ns = recorder.now_ns();
        compute_for(compute_times.scaled_ns(compute.duration_ns), now_ns, compute_times.how, recorder);
      },
      [&](const auto& call, const BufferOffsets& offsets) { execute_next(call, offsets, compute_times.how); });
}

void CallListExecutor::perform_with_gaps(const Recorder& recorder, ComputeTimes& compute_times) {
  std::optional<std::int64_t> test_start_ns;  // of a test in the computation before the next call
  for_each_execution([](const Compute&) {},
                     [&](const auto& call, const BufferOffsets& offsets) {
                       const std::int64_t gap_ns = compute_times.take_gap_ns();
                       if (gap_ns == ComputeTimes::during_next) {
                         test_start_ns = recorder.now_ns();
                       } else {
                         if (gap_ns > 0) {
                           const std::int64_t now_ns = recorder.now_ns();
                           const std::int64_t tested_ns =
                               test_start_ns ? std::min(now_ns - *test_start_ns, longest_test_ns) : 0;
                           compute_for(gap_ns - tested_ns, now_ns, compute_times.how, recorder);
                         }
                         test_start_ns.reset();
                       }
                       execute_next(call, offsets, compute_times.how);
                     });
}

void CallListExecutor::compute_for(std::int64_t duration_ns, std::int64_t now_ns, Computation how,
                                   const Recorder& recorder) {
  const std::int64_t end_ns = now_ns + duration_ns;
  pause::until(how, recorder, end_ns, [&](std::int64_t until_ns) {
    sent_.rewrite(recorder, now_ns, until_ns);
    working_set_.read(recorder, until_ns);
  });
}

template <class C>
void CallListExecutor::execute_next(const C& call, const BufferOffsets& offsets, Computation how) {
  execute(call, offsets);
  if (pause::computes(how)) remember_sent(call, offsets);
}

// What a nonblocking call sends may be written again only after its completion.
template <class C>
void CallListExecutor::remember_sent(const C& call, const BufferOffsets& offsets) {
  if constexpr (std::same_as<C, Wait>) {
    remember_completed(call.request.slot);
  } else if constexpr (std::same_as<C, WaitAll> || std::same_as<C, WaitAllUnlessTested>) {
    for (int slot = call.requests.first; slot < call.requests.first + call.requests.count; ++slot)
      remember_completed(slot);
  } else if (const std::optional<Request> request = created_request(call)) {
    offsets_of_request_[static_cast<std::size_t>(request->slot)] = offsets;
  } else if (offsets.out_bytes > 0) {
    sent_.add(send_buffer_.bytes(offsets.out, offsets.out_bytes));
  }
}

void CallListExecutor::remember_completed(int slot) {
  const BufferOffsets& offsets = offsets_of_request_[static_cast<std::size_t>(slot)];
  if (offsets.out_bytes > 0) sent_.add(send_buffer_.bytes(offsets.out, offsets.out_bytes));
}

template <class C>
void CallListExecutor::execute(const C& call, const BufferOffsets& offsets) {
  std::byte* const out = send_buffer_.data() + offsets.out;
  std::byte* const in = receive_buffer_.data() + offsets.in;
  MPI_Comm all = group_->handle();
  const auto request = [&](int slot) { return requests_.data() + slot; };
  const auto rank_or_null = [](int rank) { return rank < 0 ? MPI_PROC_NULL : rank; };
  if constexpr (std::same_as<C, Send>) {
    mpi::check(MPI_Send(out, call.out.count, datatype_of(call.type), rank_or_null(call.out.to), call.out.tag, all),
               "MPI_Send");
  } else if constexpr (std::same_as<C, Receive>) {
    mpi::check(MPI_Recv(in, call.in.capacity, datatype_of(call.type), rank_or_null(call.in.from), call.in.tag, all,
                        MPI_STATUS_IGNORE),
               "MPI_Recv");
  } else if constexpr (std::same_as<C, SendReceive>) {
    MPI_Datatype type = datatype_of(call.type);
    mpi::check(MPI_Sendrecv(out, call.out.count, type, rank_or_null(call.out.to), call.out.tag, in, call.in.capacity,
                            type, rank_or_null(call.in.from), call.in.tag, all, MPI_STATUS_IGNORE),
               "MPI_Sendrecv");
  } else if constexpr (std::same_as<C, Isend>) {
    mpi::check(MPI_Isend(out, call.out.count, datatype_of(call.type), rank_or_null(call.out.to), call.out.tag, all,
                         request(call.request.slot)),
               "MPI_Isend");
  } else if constexpr (std::same_as<C, Irecv>) {
    mpi::check(MPI_Irecv(in, call.in.capacity, datatype_of(call.type),
                         call.source != Source::named ? MPI_ANY_SOURCE : rank_or_null(call.in.from), call.in.tag, all,
                         request(call.request.slot)),
               "MPI_Irecv");
  } else if constexpr (std::same_as<C, SendInit> || std::same_as<C, ReceiveInit>) {
    create_request(call, offsets);
  } else if constexpr (std::same_as<C, Start>) {
    mpi::check(MPI_Start(request(call.request.slot)), "MPI_Start");
  } else if constexpr (std::same_as<C, FreeRequest>) {
    mpi::check(MPI_Request_free(request(call.request.slot)), "MPI_Request_free");
  } else if constexpr (std::same_as<C, UnmatchedIrecv>) {
    mpi::check(
        MPI_Irecv(in, call.capacity, datatype_of(call.type), call.from, call.tag, all, request(call.request.slot)),
        "MPI_Irecv");
  } else if constexpr (std::same_as<C, Cancel>) {
    mpi::check(MPI_Cancel(request(call.request.slot)), "MPI_Cancel");
  } else if constexpr (std::same_as<C, StartAll>) {
    mpi::check(MPI_Startall(call.requests.count, request(call.requests.first)), "MPI_Startall");
  } else if constexpr (std::same_as<C, Wait>) {
    if (senders_.empty()) {
      mpi::check(MPI_Wait(request(call.request.slot), MPI_STATUS_IGNORE), "MPI_Wait");
      return;
    }
    MPI_Status status{};
    mpi::check(MPI_Wait(request(call.request.slot), &status), "MPI_Wait");
    senders_[static_cast<std::size_t>(call.request.slot)] = status.MPI_SOURCE;
  } else if constexpr (std::same_as<C, TestAll>) {
    int complete = 0;
    mpi::check(MPI_Testall(call.requests.count, request(call.requests.first), &complete, MPI_STATUSES_IGNORE),
               "MPI_Testall");
    tested_complete_ = complete != 0;
  } else {
    static_assert(std::same_as<C, WaitAll> || std::same_as<C, WaitAllUnlessTested>);
    if (std::same_as<C, WaitAllUnlessTested> && tested_complete_) return;
    mpi::check(MPI_Waitall(call.requests.count, request(call.requests.first), MPI_STATUSES_IGNORE), "MPI_Waitall");
  }
}

template <IsCollective C>
void CallListExecutor::execute(const C& call, const BufferOffsets& offsets) {
  std::byte* const out = send_buffer_.data() + offsets.out;
  std::byte* const in = receive_buffer_.data() + offsets.in;
  const mpi::Group& group = ranks_of(call);
  MPI_Comm comm = group.handle();
  MPI_Request* const request = call.request ? requests_.data() + call.request->slot : nullptr;
  if constexpr (std::same_as<C, Barrier>) {
    mpi::call_or_start(request, "MPI_Barrier", MPI_Barrier, MPI_Ibarrier, comm);
  } else {
    MPI_Datatype type = datatype_of(call.type);
    if constexpr (std::same_as<C, Bcast>) {
      mpi::call_or_start(request, "MPI_Bcast", MPI_Bcast, MPI_Ibcast, group.rank() == call.root ? out : in, call.count,
                         type, call.root, comm);
    } else if constexpr (std::same_as<C, Reduce>) {
      mpi::call_or_start(request, "MPI_Reduce", MPI_Reduce, MPI_Ireduce, out, in, call.count, type,
                         operation_of(call.op), call.root, comm);
    } else if constexpr (std::same_as<C, Allreduce>) {
      mpi::call_or_start(request, "MPI_Allreduce", MPI_Allreduce, MPI_Iallreduce, out, in, call.count, type,
                         operation_of(call.op), comm);
    } else if constexpr (std::same_as<C, ReduceScatter>) {
      mpi::call_or_start(request, "MPI_Reduce_scatter_block", MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, out,
                         in, call.count, type, operation_of(call.op), comm);
    } else if constexpr (std::same_as<C, Allgather>) {
      mpi::call_or_start(request, "MPI_Allgather", MPI_Allgather, MPI_Iallgather, out, call.count, type, in, call.count,
                         type, comm);
    } else if constexpr (std::same_as<C, Allgatherv>) {
      const List& from = list(call.counts);
      mpi::call_or_start(request, "MPI_Allgatherv", MPI_Allgatherv, MPI_Iallgatherv, out, call.count, type, in,
                         from.counts.data(), from.displacements.data(), type, comm);
    } else if constexpr (std::same_as<C, Alltoall>) {
      mpi::call_or_start(request, "MPI_Alltoall", MPI_Alltoall, MPI_Ialltoall, out, call.count, type, in, call.count,
                         type, comm);
    } else {
      static_assert(std::same_as<C, Alltoallv>);
      const List& to = list(call.counts_to);
      const List& from = list(call.counts_from);
      mpi::call_or_start(request, "MPI_Alltoallv", MPI_Alltoallv, MPI_Ialltoallv, out, to.counts.data(),
                         to.displacements.data(), type, in, from.counts.data(), from.displacements.data(), type, comm);
    }
  }
}

// The block of one rank in the buffer of a collective.
std::span<std::byte> CallListExecutor::block(const Blocks& blocks, std::span<std::byte> all, int rank) {
  const auto at = static_cast<std::size_t>(rank);
  if (blocks.list == nullptr) {
    const std::size_t bytes = static_cast<std::size_t>(blocks.count) * blocks.element_bytes;
    return all.subspan(at * bytes, bytes);
  }
  return all.subspan(static_cast<std::size_t>(blocks.list->displacements[at]) * blocks.element_bytes,
                     static_cast<std::size_t>(blocks.list->counts[at]) * blocks.element_bytes);
}

template <class Visit>
void CallListExecutor::for_each_sent(Visit visit) const {
  for_each_call([&]<class C>(const C& call, const BufferOffsets& offsets) {
    const std::span<std::byte> all = send_buffer_.bytes(offsets.out, send_bytes(call));
    if constexpr (Sends<C>) {
      if (call.out.to >= 0) visit(all, group_->rank(), call.out.to);
    } else if constexpr (std::same_as<C, Alltoall> || std::same_as<C, Alltoallv>) {
      const mpi::Group& ranks = ranks_of(call);
      Blocks blocks{static_cast<std::size_t>(size_of(call.type))};
      if constexpr (std::same_as<C, Alltoall>) blocks.count = call.count;
      if constexpr (std::same_as<C, Alltoallv>) blocks.list = &list(call.counts_to);
      for (int peer = 0; peer < ranks.size(); ++peer) visit(block(blocks, all, peer), ranks.rank(), peer);
    } else if constexpr (std::same_as<C, Allgather> || std::same_as<C, Allgatherv>) {
      visit(all, ranks_of(call).rank(), -1);
    } else if constexpr (std::same_as<C, Bcast>) {
      if (ranks_of(call).rank() == call.root) visit(all, call.root, -1);
    }
  });
}

template <class Visit>
void CallListExecutor::for_each_received(Visit visit) const {
  for_each_call([&]<class C>(const C& call, const BufferOffsets& offsets) {
    const std::span<std::byte> all = receive_buffer_.bytes(offsets.in, receive_bytes(call));
    if constexpr (Receives<C>) {
      if (call.in.from < 0) return;
      const auto arriving = static_cast<std::size_t>(call.in.count) * static_cast<std::size_t>(size_of(call.type));
      int sender = call.in.from;
      if constexpr (requires { call.source; }) {
        if (call.source == Source::any_of_several) sender = senders_[static_cast<std::size_t>(call.request.slot)];
      }
      visit(all.first(arriving), sender, group_->rank());
    } else if constexpr (std::same_as<C, Alltoall> || std::same_as<C, Alltoallv> || std::same_as<C, Allgather> ||
                         std::same_as<C, Allgatherv>) {
      const mpi::Group& ranks = ranks_of(call);
      constexpr bool gathers = std::same_as<C, Allgather> || std::same_as<C, Allgatherv>;
      Blocks blocks{static_cast<std::size_t>(size_of(call.type))};
      if constexpr (std::same_as<C, Alltoallv>) {
        blocks.list = &list(call.counts_from);
      } else if constexpr (std::same_as<C, Allgatherv>) {
        blocks.list = &list(call.counts);
      } else {
        blocks.count = call.count;
      }
      for (int peer = 0; peer < ranks.size(); ++peer) {
        visit(block(blocks, all, peer), peer, gathers ? -1 : ranks.rank());
      }
    } else if constexpr (std::same_as<C, Bcast>) {
      if (ranks_of(call).rank() != call.root) visit(all, call.root, -1);
    }
  });
}

void CallListExecutor::fill_payload(std::uint64_t pass) {
  if (memory_ == Memory::shared) assign_buffers(Memory::separate);
  for_each_sent([&](std::span<std::byte> bytes, int from, int to) { payload::fill(bytes, {from, to, pass}); });
  for_each_received([&](std::span<std::byte> bytes, int from, int to) { payload::poison(bytes, {from, to, pass}); });
  for_each_call([&]<class C>(const C& call, const BufferOffsets& offsets) {
    if constexpr (IsReduction<C>)
      std::ranges::fill(receive_buffer_.bytes(offsets.in, receive_bytes(call)), std::byte{0});
  });
}

void CallListExecutor::verify(std::uint64_t pass) const {
  for_each_received([&](std::span<std::byte> bytes, int from, int to) { payload::check(bytes, {from, to, pass}); });
  for_each_call([&]<class C>(const C& call, const BufferOffsets& offsets) {
    if constexpr (IsReduction<C>) check_reduction(call, offsets);
  });
}

MPI_Op CallListExecutor::operation_of(ReduceOp op) const noexcept {
  switch (op) {
    case ReduceOp::sum:
      return MPI_SUM;
    case ReduceOp::min:
      return MPI_MIN;
    case ReduceOp::max:
      return MPI_MAX;
    case ReduceOp::user:
      break;
  }
  return user_reduction_.handle();
}

template <IsReduction C>
void CallListExecutor::check_reduction(const C& call, const BufferOffsets& offsets) const {
  const mpi::Group& ranks = ranks_of(call);
  if constexpr (std::same_as<C, Reduce>) {
    if (ranks.rank() != call.root) return;
  }
  const int wanted = call.op == ReduceOp::sum ? ranks.size() : 1;
  const std::byte* const found = receive_buffer_.data() + offsets.in;
  const auto count = static_cast<std::size_t>(call.count);
  if (with_type(call.type, [&]<class T>(T) { return all_are<T>(found, count, static_cast<T>(wanted)); })) return;
  throw MachineFault("wrong element: rank {} got another result than {} from a reduction of ones on {} ranks",
                     ranks.rank(), wanted, ranks.size());
}

}  // namespace stressbench::calls
