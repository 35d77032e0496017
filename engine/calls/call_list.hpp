// What one rank of an application does in one iteration: messages, collectives and computation in their order. A motif
// writes the script of a rank from the application's formula, without MPI. The same script is counted for `describe`,
// compared with the application's captured sequence, and performed.
#pragma once

#include <cstdint>
#include <vector>

#include "core/pattern.hpp"
#include "core/units.hpp"

namespace stressbench::calls {

enum class Act : std::uint8_t {
  compute,
  send,
  receive,
  sendrecv,
  isend,
  irecv,
  start_all,
  wait,
  wait_all,
  test_all,
  wait_all_unless_tested,  // where the test before it found all complete, it is left out
  barrier,
  bcast,
  reduce,
  allreduce,
  reduce_scatter,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  repeat,
  end_repeat
};
enum class Kind : std::uint8_t { bytes, shorts, ints, floats, doubles };
enum class ReduceOp : std::uint8_t { sum, min, max };
enum class Source : std::uint8_t { named, any };

std::int64_t size_of(Kind kind) noexcept;

// A place for a request. It holds none (MPI_REQUEST_NULL) until something is posted there.
struct Request {
  int place = 0;
};
struct Requests {
  int first = 0;
  int count = 0;
  Request operator[](int k) const noexcept { return {first + k}; }
};

// The ranks that a collective is over.
struct Ranks {
  int number = 0;  // 0: all of the motif's
  int rank = 0;    // own
  int size = 0;
};

struct Step {
  Act act = Act::compute;
  Kind kind = Kind::bytes;
  ReduceOp op = ReduceOp::sum;
  Source source = Source::named;
  int ranks = 0;  // number of the Ranks
  int peer = -1;  // that is sent to; the root of a collective
  int tag = 0;
  int count = 0;  // elements sent; alltoall: to each
  int from = -1;  // rank that is received from
  int from_tag = 0;
  int room = 0;      // elements that may be received
  int arriving = 0;  // that do come
  int request = 0;   // first place
  int requests = 0;
  bool posted = false;  // a collective that only starts, with a request
  int list = -1;        // number of the first of its lists of elements: allgatherv one, alltoallv two (to, from each)
  int times = 0;        // of a loop
  int other = 0;        // the loop's other end
  double compute_ns = 0;
};

class CallList {
 public:
  CallList(int rank, int ranks);
  int rank() const noexcept { return all_ranks_.rank; }
  int ranks() const noexcept { return all_ranks_.size; }

  void compute(double nanoseconds);

  // Blocking. Sizes that are whole doubles travel as doubles, others as bytes. A peer of -1 is no neighbour: no call.
  void send(int to, int tag, std::int64_t bytes);
  void receive(int from, int tag, std::int64_t bytes);
  // `room` may be larger than what comes.
  void sendrecv(int to, int tag, std::int64_t bytes, int from, int from_tag, std::int64_t room, std::int64_t arriving);

  Requests requests(int count);
  void isend(Request request, int to, int tag, std::int64_t bytes);
  // `source`: posted for any source; `from` says who it is, and only that one may send with this tag.
  void irecv(Request request, int from, int tag, std::int64_t bytes, Source source = Source::named);
  // `room` may be larger than what comes.
  void irecv_up_to(Request request, int from, int tag, std::int64_t room, std::int64_t arriving);
  void persistent_send(Request request, int to, int tag, std::int64_t bytes);
  void persistent_receive(Request request, int from, int tag, std::int64_t bytes);
  void start_all(Requests requests);
  void wait(Request request);
  void wait_all(Requests requests);
  void test_all(Requests requests);
  void wait_all_unless_tested(Requests requests);

  const Ranks& all_ranks() const noexcept { return all_ranks_; }
  // Ranks of the same colour; every rank of the motif calls it as often, in the same order.
  Ranks split(int colour, int rank, int size);
  void barrier(const Ranks& ranks);
  void bcast(const Ranks& ranks, int root, std::int64_t bytes);
  void reduce(const Ranks& ranks, int root, ReduceOp op, Kind kind, std::int64_t count);
  void allreduce(const Ranks& ranks, ReduceOp op, Kind kind, std::int64_t count);
  // Each rank gets `count` elements of the result.
  void reduce_scatter(const Ranks& ranks, ReduceOp op, Kind kind, std::int64_t count);
  void allgather(const Ranks& ranks, Kind kind, std::int64_t count);
  void allgatherv(const Ranks& ranks, Kind kind, const std::vector<std::int64_t>& counts);
  void alltoall(const Ranks& ranks, std::int64_t bytes_each);
  void alltoallv(const Ranks& ranks, const std::vector<std::int64_t>& bytes_to,
                 const std::vector<std::int64_t>& bytes_from);

  // The collective that was written last only starts there, and is complete when the request was waited for.
  void nonblocking_last(Request request);

  // What `body` writes, `times` times.
  template <class Body>
  void repeat(std::int64_t times, Body body) {
    if (times <= 0) return;
    const int begin = begin_loop(times);
    body();
    end_loop(begin);
  }

  // As it was written.
  const std::vector<Step>& steps() const noexcept { return steps_; }
  const std::vector<Step>& persistent() const noexcept { return persistent_; }
  const std::vector<std::vector<int>>& lists() const noexcept { return lists_; }
  const std::vector<int>& list(int number) const { return lists_[static_cast<std::size_t>(number)]; }
  struct Split {
    int colour;
    Ranks ranks;
  };
  const std::vector<Split>& splits() const noexcept { return splits_; }
  int places() const noexcept { return places_; }

  std::uint64_t computations() const;  // in an iteration
  // Of this rank; a collective is counted by its rank 0. `scale` multiplies the computation.
  Traffic traffic(double scale) const;

 private:
  // Calls visit(step, how often it is done).
  template <class Visit>
  void each_step(Visit visit) const;
  int begin_loop(std::int64_t times);
  void end_loop(int begin);
  Step& add(Act act);
  Step& add_collective(Act act, const Ranks& ranks);

  int add_list(Kind kind, const std::vector<std::int64_t>& amounts, std::int64_t unit);
  const Ranks& ranks_of(const Step& step) const;
  std::int64_t bytes_sent(const Step& step) const;

  Ranks all_ranks_;
  std::vector<Step> steps_;
  std::vector<Step> persistent_;
  std::vector<std::vector<int>> lists_;
  std::vector<Split> splits_;
  int places_ = 0;
};

}  // namespace stressbench::calls
