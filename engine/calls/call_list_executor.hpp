// Executes a rank's call list: the list with buffers, requests and communicators.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "calls/call_list.hpp"
#include "core/buffer.hpp"
#include "core/pause.hpp"
#include "core/sent_memory.hpp"
#include "core/units.hpp"
#include "core/working_set.hpp"
#include "mpi/group.hpp"
#include "mpi/operation.hpp"

namespace stressbench::calls {

// Computation in one iteration: how the time is spent, and its duration. Lists of factors and times are used
// cyclically.
struct ComputeTimes {
  // In `gaps_ns`, before a call that tests: the test takes place during the computation before the next call.
  static constexpr std::int64_t during_next = -1;

  Computation how = Computation::busy;
  // The computation of the call list: factors by which successive times are multiplied. No factors: 1.
  double scale = 1.0;
  std::vector<double> factors;
  std::size_t next = 0;
  // Instead of it, if this is not empty: the time before each MPI call in nanoseconds, loops unrolled.
  std::vector<std::int64_t> gaps_ns;
  std::size_t next_gap = 0;

  std::int64_t scaled_ns(double nanoseconds) noexcept {
    if (factors.empty()) return static_cast<std::int64_t>(nanoseconds * scale);
    const double factor = factors[next];
    next = next + 1 < factors.size() ? next + 1 : 0;
    return static_cast<std::int64_t>(nanoseconds * scale * factor);
  }
  std::int64_t take_gap_ns() noexcept {
    const std::int64_t gap_ns = gaps_ns[next_gap];
    next_gap = next_gap + 1 < gaps_ns.size() ? next_gap + 1 : 0;
    return gap_ns;
  }
};

class CallListExecutor {
 public:
  // Collective over the group, which must outlive this object. `working_set`: memory that computation reads.
  CallListExecutor(CallList calls, const mpi::Group& group, Bytes working_set = {});
  CallListExecutor(const CallListExecutor&) = delete;
  CallListExecutor& operator=(const CallListExecutor&) = delete;
  ~CallListExecutor();

  std::uint64_t computations() const { return calls_.computations(); }  // per iteration
  // Memory for the contents of messages.
  std::size_t buffer_bytes() const noexcept { return send_buffer_.size() + receive_buffer_.size(); }
  void perform(const Recorder& recorder, ComputeTimes& compute_times);

  // Fills and checks message contents. Every call with a message then has its own memory, so that all data is still
  // there for the check. Measured runs reuse the same buffer for successive messages, as applications do.
  void fill_payload(std::uint64_t pass);
  void verify(std::uint64_t pass) const;

 private:
  enum class Memory { shared, separate };
  // Location of a call's data: byte offsets into the send and the receive buffer, and the length of what it sends.
  struct BufferOffsets {
    std::size_t out = 0;
    std::size_t in = 0;
    std::size_t out_bytes = 0;
  };
  struct List {
    std::vector<int> counts;
    std::vector<int> displacements;
  };
  // Layout of a collective's buffer with one block per rank: equal blocks, or the counts and displacements of a list.
  struct Blocks {
    std::size_t element_bytes = 1;
    int count = 0;               // elements per block, if `list` is null
    const List* list = nullptr;  // for blocks of different lengths
  };

  const mpi::Group& ranks_of(const Collective& call) const {
    return call.comm == 0 ? *group_ : splits_[static_cast<std::size_t>(call.comm - 1)];
  }
  const List& list(int number) const { return lists_[static_cast<std::size_t>(number)]; }
  // Bytes of the send and the receive buffer of a call.
  template <class C>
  std::size_t send_bytes(const C& call) const;
  template <class C>
  std::size_t receive_bytes(const C& call) const;
  void assign_buffers(Memory memory);
  void create_persistent();
  void create_request(const Isend& send, const BufferOffsets& offsets);
  void create_request(const Irecv& receive, const BufferOffsets& offsets);
  void free_persistent() noexcept;
  void fill_reductions();
  static std::span<std::byte> block(const Blocks& blocks, std::span<std::byte> all, int rank);
  // Calls visit(call, its offsets) for every call, persistent ones included.
  template <class Visit>
  void for_each_call(Visit visit) const;
  // Calls visit(bytes, sender, receiver) for each message; receiver -1 means all ranks.
  template <class Visit>
  void for_each_sent(Visit visit) const;
  template <class Visit>
  void for_each_received(Visit visit) const;
  template <IsReduction C>
  void check_reduction(const C& call, const BufferOffsets& offsets) const;

  // Calls on_computation(Compute) or on_call(call, its offsets) for each execution in an iteration, in order.
  template <class OnComputation, class OnCall>
  void for_each_execution(OnComputation on_computation, OnCall on_call);
  void perform_with_gaps(const Recorder& recorder, ComputeTimes& compute_times);
  // Executes a call, and remembers what it sent if computation is to write it.
  template <class C>
  void execute_next(const C& call, const BufferOffsets& offsets, Computation how);
  template <class C>
  void remember_sent(const C& call, const BufferOffsets& offsets);
  void remember_completed(int slot);
  void compute_for(std::int64_t duration_ns, std::int64_t now_ns, Computation how, const Recorder& recorder);
  template <class C>
  void execute(const C& call, const BufferOffsets& offsets);
  MPI_Op operation_of(ReduceOp op) const noexcept;
  template <IsCollective C>
  void execute(const C& call, const BufferOffsets& offsets);

  CallList calls_;
  const mpi::Group* group_;
  std::vector<mpi::Group> splits_;
  std::vector<List> lists_;
  mpi::LargestMagnitude user_reduction_;  // null unless a call uses it
  std::vector<BufferOffsets> offsets_;    // by index of the call
  std::vector<BufferOffsets> persistent_offsets_;
  std::vector<MPI_Request> requests_;
  std::vector<BufferOffsets> offsets_of_request_;  // of the message or collective that a request was made for
  std::vector<int> senders_;           // by request slot, of the message that a Wait received; empty: all are known
  std::vector<int> remaining_passes_;  // remaining passes of a loop, by index of its Repeat
  bool tested_complete_ = false;
  Memory memory_ = Memory::shared;
  Buffer send_buffer_;
  Buffer receive_buffer_;
  SentMemory sent_;
  WorkingSet working_set_;
};

}  // namespace stressbench::calls
