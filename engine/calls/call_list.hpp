// What one rank of an application does in one iteration: messages, collectives and computation, in order. A motif fills
// the list of a rank from the application's formula, without MPI. The same list is counted for `describe`, compared
// with the application's captured sequence, and executed.
#pragma once

#include <cstdint>
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

  // Blocking. Sizes that are multiples of 8 bytes travel as doubles, others as bytes. A partner of -1 stands for a
  // neighbour that does not exist: nothing is added.
  void send(int to, int tag, std::int64_t bytes);
  void receive(int from, int tag, std::int64_t bytes);
  // `capacity` may be larger than what arrives.
  void sendrecv(int to, int tag, std::int64_t bytes, int from, int from_tag, std::int64_t capacity,
                std::int64_t arriving);

  Requests requests(int count);
  void isend(Request request, int to, int tag, std::int64_t bytes);
  // `source` any: posted for MPI_ANY_SOURCE, but only `from` may send with this tag.
  void irecv(Request request, int from, int tag, std::int64_t bytes, Source source = Source::named);
  // `capacity` may be larger than what arrives.
  void irecv_up_to(Request request, int from, int tag, std::int64_t capacity, std::int64_t arriving);
  void persistent_send(Request request, int to, int tag, std::int64_t bytes);
  void persistent_receive(Request request, int from, int tag, std::int64_t bytes);
  void start_all(Requests requests);
  void wait(Request request);
  void wait_all(Requests requests);
  void test_all(Requests requests);
  void wait_all_unless_tested(Requests requests);

  const Ranks& all_ranks() const noexcept { return all_ranks_; }
  // The ranks of the same colour. Every rank of the motif calls it equally often, in the same order.
  Ranks split(int colour, int rank, int size);
  void barrier(const Ranks& ranks);
  void bcast(const Ranks& ranks, int root, std::int64_t bytes);
  void reduce(const Ranks& ranks, int root, ReduceOp op, ElementType type, std::int64_t count);
  void allreduce(const Ranks& ranks, ReduceOp op, ElementType type, std::int64_t count);
  // Each rank gets `count` elements of the result.
  void reduce_scatter(const Ranks& ranks, ReduceOp op, ElementType type, std::int64_t count);
  void allgather(const Ranks& ranks, ElementType type, std::int64_t count);
  void allgatherv(const Ranks& ranks, ElementType type, const std::vector<std::int64_t>& counts);
  void alltoall(const Ranks& ranks, std::int64_t bytes_each);
  void alltoallv(const Ranks& ranks, const std::vector<std::int64_t>& bytes_to,
                 const std::vector<std::int64_t>& bytes_from);

  // Makes the collective that was added last a nonblocking one with this request.
  void nonblocking_last(Request request);

  // A loop over the calls that `body` adds.
  template <class Body>
  void repeat(std::int64_t times, Body body) {
    if (times <= 0) return;
    const int begin = begin_loop(times);
    body();
    end_loop(begin);
  }

  // In the order in which they were added; loops are not unrolled.
  const std::vector<Call>& calls() const noexcept { return calls_; }
  const std::vector<PersistentCall>& persistent() const noexcept { return persistent_; }
  const std::vector<std::vector<int>>& lists() const noexcept { return lists_; }
  const std::vector<int>& list(int number) const { return lists_[static_cast<std::size_t>(number)]; }
  struct Split {
    int colour;
    Ranks ranks;
  };
  const std::vector<Split>& splits() const noexcept { return splits_; }
  int request_slots() const noexcept { return request_slots_; }

  std::uint64_t computations() const;  // in an iteration
  // Of this rank; a collective is counted by its rank 0. `scale` multiplies the computation.
  Traffic traffic(double scale) const;

 private:
  // Calls visit(call, how often it is made) for each call that is no loop.
  template <class Visit>
  void for_each_call(Visit visit) const;
  int begin_loop(std::int64_t times);
  void end_loop(int begin);
  int add_list(ElementType type, const std::vector<std::int64_t>& amounts, std::int64_t unit);
  const Ranks& ranks_of(const Collective& call) const {
    return call.ranks == 0 ? all_ranks_ : splits_[static_cast<std::size_t>(call.ranks - 1)].ranks;
  }
  template <IsCollective C>
  std::int64_t bytes_sent(const C& call) const;

  Ranks all_ranks_;
  std::vector<Call> calls_;
  std::vector<PersistentCall> persistent_;
  std::vector<std::vector<int>> lists_;
  std::vector<Split> splits_;
  int request_slots_ = 0;
};

}  // namespace stressbench::calls
