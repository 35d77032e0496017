// The messages, collectives and computations of one rank of an application in one iteration, in order. A motif fills
// the list from the application's communication formula, without MPI. The same list gives the traffic for `describe`,
// is compared with the application's captured sequence, and is executed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "calls/call.hpp"
#include "core/pattern.hpp"

namespace stressbench::calls {

class CallList {
 public:
  CallList(int rank, int ranks);
  int rank() const noexcept { return all_ranks_.rank; }
  int ranks() const noexcept { return all_ranks_.size; }

  void compute(double nanoseconds);

  // From now on, messages to and from a missing neighbour are calls with MPI_PROC_NULL.
  void keep_null_calls() noexcept { keeps_null_calls_ = true; }

  // Blocking calls. Sizes that are multiples of 8 bytes are sent as doubles, others as bytes. A partner of -1 is a
  // missing neighbour: no call is added, unless such calls are kept.
  void send(int to, int tag, std::int64_t bytes);
  void receive(int from, int tag, std::int64_t bytes);
  // `capacity` of the receive buffer may exceed `arriving`.
  void sendrecv(int to, int tag, std::int64_t bytes, int from, int from_tag, std::int64_t capacity,
                std::int64_t arriving);

  // Reserves `count` new request slots.
  Requests requests(int count);
  void isend(Request request, int to, int tag, std::int64_t bytes);
  // `source` any: posted with MPI_ANY_SOURCE, but only `from` may send with this tag. any_of_several: all ranks for
  // which receives are so posted may, as many bytes each; `wait` must complete the request.
  void irecv(Request request, int from, int tag, std::int64_t bytes, Source source = Source::named);
  // `capacity` of the receive buffer may exceed `arriving`.
  void irecv_up_to(Request request, int from, int tag, std::int64_t capacity, std::int64_t arriving);
  // A receive that stays without a message until it is cancelled, which a wait must follow.
  void irecv_unmatched(Request request, int from, int tag, std::int64_t capacity);
  void cancel(Request request);
  // Persistent messages whose requests exist before the first iteration.
  void persistent_send(Request request, int to, int tag, std::int64_t bytes);
  void persistent_receive(Request request, int from, int tag, std::int64_t bytes);
  void start_all(Requests requests);
  // Persistent messages whose requests are created and freed in each iteration.
  void send_init(Request request, int to, int tag, std::int64_t bytes);
  void receive_init(Request request, int from, int tag, std::int64_t bytes);
  void start(Request request);
  void free_request(Request request);
  void wait(Request request);
  void wait_all(Requests requests);
  // Each test is followed by a wait that is skipped if the test found all requests complete.
  void test_all(Requests requests);
  void wait_all_unless_tested(Requests requests);

  const CommunicatorRef& all_ranks() const noexcept { return all_ranks_; }
  // A communicator of the ranks with the same colour, as by MPI_Comm_split. All ranks of the motif must call it in the
  // same order.
  CommunicatorRef split(int colour, int rank, int size);
  void barrier(const CommunicatorRef& comm);
  void bcast(const CommunicatorRef& comm, int root, std::int64_t bytes);
  void reduce(const CommunicatorRef& comm, int root, ReduceOp op, ElementType type, std::int64_t count);
  void allreduce(const CommunicatorRef& comm, ReduceOp op, ElementType type, std::int64_t count);
  // Each rank gets `count` elements of the result.
  void reduce_scatter(const CommunicatorRef& comm, ReduceOp op, ElementType type, std::int64_t count);
  void allgather(const CommunicatorRef& comm, ElementType type, std::int64_t count);
  void allgather(const CommunicatorRef& comm, std::int64_t bytes);
  void allgatherv(const CommunicatorRef& comm, ElementType type, const std::vector<std::int64_t>& counts);
  void alltoall(const CommunicatorRef& comm, ElementType type, std::int64_t count_each);
  void alltoall(const CommunicatorRef& comm, std::int64_t bytes_each);
  void alltoallv(const CommunicatorRef& comm, ElementType type, const std::vector<std::int64_t>& counts_to,
                 const std::vector<std::int64_t>& counts_from);
  void alltoallv(const CommunicatorRef& comm, const std::vector<std::int64_t>& bytes_to,
                 const std::vector<std::int64_t>& bytes_from);

  // Turns the collective that was added last into its nonblocking form with this request.
  void nonblocking_last(Request request);

  // A loop over the calls that `body` adds.
  template <class Body>
  void repeat(std::int64_t times, Body body) {
    if (times <= 0) return;
    const int begin = begin_loop(times);
    body();
    end_loop(begin);
  }

  // Calls in the order in which they were added; loops are not unrolled.
  const std::vector<Call>& calls() const noexcept { return calls_; }
  const std::vector<PersistentCall>& persistent() const noexcept { return persistent_; }
  const std::vector<std::vector<int>>& lists() const noexcept { return lists_; }
  const std::vector<int>& list(int number) const { return lists_[static_cast<std::size_t>(number)]; }
  struct Split {
    int colour;
    CommunicatorRef ranks;
  };
  const std::vector<Split>& splits() const noexcept { return splits_; }
  int request_slots() const noexcept { return request_slots_; }

  std::uint64_t computations() const;  // number of Compute calls per iteration
  // Number of MPI calls per iteration, tests and the waits after them both counted.
  std::int64_t mpi_calls() const;
  std::int64_t conditional_waits() const;  // number of those waits
  // Traffic of this rank per iteration. A collective is counted on its rank 0. `scale` multiplies the computation time.
  Traffic traffic(double scale) const;

 private:
  // Calls visit(call, number of executions per iteration) for each call except loops.
  template <class Visit>
  void for_each_call(Visit visit) const;
  int begin_loop(std::int64_t times);
  void end_loop(int begin);
  int add_list(ElementType type, const std::vector<std::int64_t>& counts);
  const CommunicatorRef& ranks_of(const Collective& call) const {
    return call.comm == 0 ? all_ranks_ : splits_[static_cast<std::size_t>(call.comm - 1)].ranks;
  }
  template <IsCollective C>
  std::int64_t bytes_sent(const C& call) const;
  bool is_left_out(int partner) const noexcept { return partner < 0 && !keeps_null_calls_; }

  CommunicatorRef all_ranks_;
  std::vector<Call> calls_;
  std::vector<PersistentCall> persistent_;
  std::vector<std::vector<int>> lists_;
  std::vector<Split> splits_;
  int request_slots_ = 0;
  bool keeps_null_calls_ = false;
  std::vector<int> receive_inits_;  // by request slot, the index of its last ReceiveInit; -1: none
};

// The message that each persistent request sends, while the calls of a list are visited in order.
class PersistentSends {
 public:
  // Those whose requests exist before the first call.
  explicit PersistentSends(const CallList& list);

  // Must be called for each call. Calls visit(Isend) for each message that the call starts.
  template <class C, class Visit>
  void visit_started(const C& call, Visit visit) {
    if constexpr (std::same_as<C, SendInit>) {
      send_of(call.request) = &call;
    } else if constexpr (std::same_as<C, ReceiveInit>) {
      send_of(call.request) = nullptr;
    } else if constexpr (std::same_as<C, Start>) {
      if (send_of(call.request) != nullptr) visit(*send_of(call.request));
    } else if constexpr (std::same_as<C, StartAll>) {
      for (int k = 0; k < call.requests.count; ++k) visit_started(Start{call.requests[k]}, visit);
    }
  }

 private:
  const Isend*& send_of(Request request) { return sends_[static_cast<std::size_t>(request.slot)]; }

  std::vector<const Isend*> sends_;  // by request slot; null: none
};

// Calls visit(call, its index) for each execution of a call in an iteration, in order, except loops.
// `remaining_passes` has one element for each call of the list.
template <class Visit>
void for_each_execution(const std::vector<Call>& calls, std::vector<int>& remaining_passes, Visit visit) {
  for (std::size_t k = 0; k < calls.size(); ++k) {
    if (const auto* repeat = std::get_if<Repeat>(&calls[k])) {
      remaining_passes[k] = repeat->times;
    } else if (const auto* end = std::get_if<EndRepeat>(&calls[k])) {
      const auto begin = static_cast<std::size_t>(end->begin);
      if (--remaining_passes[begin] > 0) k = begin;
    } else {
      visit(calls[k], k);
    }
  }
}

}  // namespace stressbench::calls
