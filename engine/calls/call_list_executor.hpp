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
  enum class Memory { shared, apart };
  // Where a step's message lies: offsets into what is sent and what is received.
  struct Place {
    std::size_t out = 0;
    std::size_t in = 0;
  };
  struct List {
    std::vector<int> counts;
    std::vector<int> displacements;
  };

  const mpi::Group& ranks_of(const Step& step) const {
    return step.ranks == 0 ? *group_ : splits_[static_cast<std::size_t>(step.ranks - 1)];
  }
  std::size_t sent(const Step& step) const;
  std::size_t received(const Step& step) const;
  void lay_out(Memory memory);
  void make_persistent();
  void free_persistent() noexcept;
  void fill_reductions();
  std::span<std::byte> outgoing(const Step& step, const Place& place) const;
  std::span<std::byte> incoming(const Step& step, const Place& place) const;
  std::span<std::byte> part(const Step& step, int list, std::span<std::byte> all, int peer) const;
  // visit(bytes, sender, receiver) of each message; a receiver of -1 stands for all ranks.
  template <class Visit>
  void each_sent(Visit visit) const;
  template <class Visit>
  void each_received(Visit visit) const;
  void check_reduction(const Step& step, const Place& place) const;

  void post(const Step& step, const Place& place);
  void communicate(const Step& step, const Place& place);

  CallList calls_;
  const mpi::Group* group_;
  std::vector<mpi::Group> splits_;
  std::vector<List> lists_;
  std::vector<Place> places_;  // of the steps
  std::vector<Place> persistent_places_;
  std::vector<MPI_Request> requests_;
  std::vector<int> left_;  // times that a loop still runs, by step
  bool tested_complete_ = false;
  Memory memory_ = Memory::shared;
  Buffer out_;
  Buffer in_;
};

}  // namespace stressbench::calls
