// The MPI calls that a rank of an application makes, and the computation between them, as values.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <variant>

namespace stressbench::calls {

enum class ElementType : std::uint8_t { bytes, shorts, ints, floats, doubles };
enum class ReduceOp : std::uint8_t { sum, min, max };
enum class Source : std::uint8_t { named, any };

std::int64_t size_of(ElementType type) noexcept;

// A slot for a request. It holds MPI_REQUEST_NULL until a call puts a request there.
struct Request {
  int slot = 0;
};
struct Requests {
  int first = 0;
  int count = 0;
  Request operator[](int k) const noexcept { return {first + k}; }
  bool holds(Request request) const noexcept { return request.slot >= first && request.slot < first + count; }
};

// The ranks of a collective.
struct Ranks {
  int number = 0;  // 0: all ranks of the motif; else of a split
  int rank = 0;    // own
  int size = 0;
};

// What is sent, in elements. `to` -1: nothing.
struct Outgoing {
  int to = -1;
  int tag = 0;
  int count = 0;
};
// What is received, in elements: `capacity` fit, `count` arrive. `from` -1: nothing.
struct Incoming {
  int from = -1;
  int tag = 0;
  int capacity = 0;
  int count = 0;
};

struct Compute {
  double duration_ns = 0;
};

struct Send {
  ElementType type = ElementType::bytes;
  Outgoing out;
};
struct Receive {
  ElementType type = ElementType::bytes;
  Incoming in;
};
struct SendReceive {
  ElementType type = ElementType::bytes;
  Outgoing out;
  Incoming in;
};
struct Isend {
  ElementType type = ElementType::bytes;
  Outgoing out;
  Request request;
};
// `source` any: posted for MPI_ANY_SOURCE; `in.from` is the only rank that may send with this tag.
struct Irecv {
  ElementType type = ElementType::bytes;
  Incoming in;
  Request request;
  Source source = Source::named;
};

struct StartAll {
  Requests requests;
};
struct Wait {
  Request request;
};
struct WaitAll {
  Requests requests;
};
struct TestAll {
  Requests requests;
};
// Left out where the TestAll before it found all requests complete.
struct WaitAllUnlessTested {
  Requests requests;
};

struct Collective {
  int ranks = 0;                   // number of the Ranks
  std::optional<Request> request;  // of a nonblocking one
};
struct Barrier : Collective {};
struct Bcast : Collective {
  ElementType type = ElementType::bytes;
  int count = 0;
  int root = 0;
};
struct Reduce : Collective {
  ElementType type = ElementType::bytes;
  ReduceOp op = ReduceOp::sum;
  int count = 0;
  int root = 0;
};
struct Allreduce : Collective {
  ElementType type = ElementType::bytes;
  ReduceOp op = ReduceOp::sum;
  int count = 0;
};
struct ReduceScatter : Collective {
  ElementType type = ElementType::bytes;
  ReduceOp op = ReduceOp::sum;
  int count = 0;  // of each rank's result
};
struct Allgather : Collective {
  ElementType type = ElementType::bytes;
  int count = 0;
};
struct Allgatherv : Collective {
  ElementType type = ElementType::bytes;
  int count = 0;   // own
  int counts = 0;  // number of the list with each rank's count
};
struct Alltoall : Collective {
  ElementType type = ElementType::bytes;
  int count = 0;  // to each rank
};
struct Alltoallv : Collective {
  ElementType type = ElementType::bytes;
  int counts_to = 0;    // number of the list with the count for each rank
  int counts_from = 0;  // the same, of what is received
};

// A loop over the calls between the two. `end` and `begin` are the index of the other one.
struct Repeat {
  int times = 0;
  int end = 0;
};
struct EndRepeat {
  int begin = 0;
};

using Call = std::variant<Compute, Send, Receive, SendReceive, Isend, Irecv, StartAll, Wait, WaitAll, TestAll,
                          WaitAllUnlessTested, Barrier, Bcast, Reduce, Allreduce, ReduceScatter, Allgather, Allgatherv,
                          Alltoall, Alltoallv, Repeat, EndRepeat>;
// Made once, and started by StartAll.
using PersistentCall = std::variant<Isend, Irecv>;

template <class C>
concept Sends = requires(const C& call) {
  call.out;
};
template <class C>
concept Receives = requires(const C& call) {
  call.in;
};
template <class C>
concept IsCollective = std::derived_from<C, Collective>;
template <class C>
concept IsReduction = requires(const C& call) {
  call.op;
};

}  // namespace stressbench::calls
