// The MPI calls that a rank of an application makes, and the computation between them, as values.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

namespace stressbench::calls {

enum class ElementType : std::uint8_t { bytes, shorts, ints, floats, doubles };
// `user`: an operation of the program's own (MPI_Op_create), here the value that is largest without its sign.
enum class ReduceOp : std::uint8_t { sum, min, max, user };
enum class Source : std::uint8_t { named, any, any_of_several };

std::int64_t size_of(ElementType type) noexcept;

// A slot for a request. It holds MPI_REQUEST_NULL until a call puts a request there.
struct Request {
  int slot = 0;
};
struct Requests {
  int first = 0;
  int count = 0;
  Request operator[](int k) const noexcept { return {first + k}; }
};

// The communicator of a collective.
struct CommunicatorRef {
  int number = 0;  // 0: all ranks of the motif; k > 0: the k-th split
  int rank = 0;    // of this process in the communicator
  int size = 0;
};

// A message to send, with `count` in elements. `to` -1: none.
struct Outgoing {
  int to = -1;
  int tag = 0;
  int count = 0;
};
// A message to receive: `capacity` elements fit into the buffer, `count` arrive. `from` -1: none.
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
// `source` any: posted with MPI_ANY_SOURCE; `in.from` is the only rank that may send with this tag. any_of_several: so
// posted for each of several ranks that send as much with this tag, of which `in.from` is one; a Wait completes it.
struct Irecv {
  ElementType type = ElementType::bytes;
  Incoming in;
  Request request;
  Source source = Source::named;
};
// A receive that no message matches: `Cancel` ends it, and a wait after that.
struct UnmatchedIrecv {
  ElementType type = ElementType::bytes;
  int from = 0;
  int tag = 0;
  int capacity = 0;
  Request request;
};

// A persistent message, which Start sends or receives. Its request lasts until FreeRequest, in the same iteration.
// `in.count` is 0 if nothing starts it.
struct SendInit : Isend {};
struct ReceiveInit : Irecv {};

struct Start {
  Request request;
};
struct FreeRequest {
  Request request;
};
struct StartAll {
  Requests requests;
};
struct Cancel {
  Request request;
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
// Skipped if the preceding TestAll found all requests complete.
struct WaitAllUnlessTested {
  Requests requests;
};

struct Collective {
  int comm = 0;                    // CommunicatorRef::number
  std::optional<Request> request;  // set for a nonblocking call
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
  int count = 0;  // elements of the result per rank
};
struct Allgather : Collective {
  ElementType type = ElementType::bytes;
  int count = 0;
};
struct Allgatherv : Collective {
  ElementType type = ElementType::bytes;
  int count = 0;   // sent by this rank
  int counts = 0;  // index of the list with the count of each rank
};
struct Alltoall : Collective {
  ElementType type = ElementType::bytes;
  int count = 0;  // to each rank
};
struct Alltoallv : Collective {
  ElementType type = ElementType::bytes;
  int counts_to = 0;    // index of the list with the send count for each rank
  int counts_from = 0;  // index of the list with the receive count for each rank
};

// A loop over the calls between Repeat and EndRepeat. `end` and `begin` are the index of the matching other one.
struct Repeat {
  int times = 0;
  int end = 0;
};
struct EndRepeat {
  int begin = 0;
};

using Call =
    std::variant<Compute, Send, Receive, SendReceive, Isend, Irecv, UnmatchedIrecv, SendInit, ReceiveInit, Start,
                 FreeRequest, StartAll, Cancel, Wait, WaitAll, TestAll, WaitAllUnlessTested, Barrier, Bcast, Reduce,
                 Allreduce, ReduceScatter, Allgather, Allgatherv, Alltoall, Alltoallv, Repeat, EndRepeat>;
// The MPI function that is called, without "MPI_"; empty for computation and loops.
std::string_view mpi_function(const Call& call) noexcept;
// A persistent message whose request is created before the first iteration and lasts to the end; StartAll starts it.
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
