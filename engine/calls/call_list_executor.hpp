// A rank's script with memory, requests and communicators: what makes its calls.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "calls/call_list.hpp"
#include "core/buffer.hpp"
#include "core/pause.hpp"
#include "mpi/group.hpp"

namespace stressbench::calls {

// Computation of one iteration: how it is spent, and factors that the times are multiplied by, one after the other and
// from the first again; none: 1.
struct ComputeTimes {
  Computation how = Computation::busy;
  double scale = 1.0;
  std::vector<double> factors;
  std::size_t next = 0;

  std::int64_t stretched(double nanoseconds) noexcept {
    if (factors.empty()) return static_cast<std::int64_t>(nanoseconds * scale);
    const double factor = factors[next];
    next = next + 1 < factors.size() ? next + 1 : 0;
    return static_cast<std::int64_t>(nanoseconds * scale * factor);
  }
};

class CallListExecutor {
 public:
  // Collective over the group, which outlives this.
  CallListExecutor(CallList calls, const mpi::Group& group);
  CallListExecutor(const CallListExecutor&) = delete;
  CallListExecutor& operator=(const CallListExecutor&) = delete;
  ~CallListExecutor();

  std::uint64_t computations() const { return calls_.computations(); }  // in an iteration
  void perform(const Recorder& recorder, ComputeTimes& compute_times);

  // Checked payload: every step gets memory of its own, so that all of it is still there afterwards. An application
  // packs one message after the other into the same buffer, and so does what is measured.
  void fill_payload(std::uint64_t pass);
  void verify(std::uint64_t pass) const;

 private:
  enum class Memory { shared, separate };
  // Where a call's data lies: offsets into the outgoing and the incoming buffer.
  struct Place {
    std::size_t out = 0;
    std::size_t in = 0;
  };
  struct List {
    std::vector<int> counts;
    std::vector<int> displacements;
  };
  // What part of a message list is meant: all ranks' data one after another, or equal blocks.
  struct Blocks {
    std::size_t element_bytes = 1;
    int count = 0;               // of each block, where they are equal
    const List* list = nullptr;  // else
  };

  const mpi::Group& ranks_of(const Collective& call) const {
    return call.ranks == 0 ? *group_ : splits_[static_cast<std::size_t>(call.ranks - 1)];
  }
  const List& list(int number) const { return lists_[static_cast<std::size_t>(number)]; }
  // Bytes that a call reads and writes.
  template <class C>
  std::size_t sent(const C& call) const;
  template <class C>
  std::size_t received(const C& call) const;
  void lay_out(Memory memory);
  void make_persistent();
  void free_persistent() noexcept;
  void fill_reductions();
  static std::span<std::byte> block(const Blocks& blocks, std::span<std::byte> all, int rank);
  // visit(call, its place) of every call, persistent ones included.
  template <class Visit>
  void each_call(Visit visit) const;
  // visit(bytes, sender, receiver) of each message; a receiver of -1 stands for all ranks.
  template <class Visit>
  void each_sent(Visit visit) const;
  template <class Visit>
  void each_received(Visit visit) const;
  template <IsReduction C>
  void check_reduction(const C& call, const Place& place) const;

  template <class C>
  void make(const C& call, const Place& place);
  template <IsCollective C>
  void make(const C& call, const Place& place);

  CallList calls_;
  const mpi::Group* group_;
  std::vector<mpi::Group> splits_;
  std::vector<List> lists_;
  std::vector<Place> places_;  // of the calls
  std::vector<Place> persistent_places_;
  std::vector<MPI_Request> requests_;
  std::vector<int> left_;  // passes that a loop still makes, by the index of its begin
  bool tested_complete_ = false;
  Memory memory_ = Memory::shared;
  Buffer out_;
  Buffer in_;
};

}  // namespace stressbench::calls
