#include "calls/call_list.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace stressbench::calls {
namespace {

struct Amount {
  ElementType type;
  int count;
};

int checked_count(std::int64_t count, ElementType type) {
  if (count < 0) reject("", "a message has more bytes than 64 bits can count");
  if (count > std::numeric_limits<int>::max())
    reject("", "a message of {} bytes is longer than MPI's counts allow", count * size_of(type));
  return static_cast<int>(count);
}

bool is_doubles(std::int64_t bytes) noexcept { return bytes % size_of(ElementType::doubles) == 0; }
ElementType type_of(std::int64_t bytes) noexcept {
  return is_doubles(bytes) ? ElementType::doubles : ElementType::bytes;
}
int elements(std::int64_t bytes, ElementType type) { return checked_count(bytes / size_of(type), type); }

Amount amount_of(std::int64_t bytes) {
  const ElementType type = type_of(bytes);
  return {type, elements(bytes, type)};
}

}  // namespace

std::int64_t size_of(ElementType type) noexcept {
  switch (type) {
    case ElementType::bytes:
      return 1;
    case ElementType::shorts:
      return 2;
    case ElementType::ints:
    case ElementType::floats:
      return 4;
    case ElementType::doubles:
      return 8;
  }
  return 1;
}

std::string_view mpi_function(const Call& call) noexcept {
  return std::visit(
      []<class C>(const C& one) -> std::string_view {
        if constexpr (std::same_as<C, Send>) return "Send";
        if constexpr (std::same_as<C, Receive>) return "Recv";
        if constexpr (std::same_as<C, SendReceive>) return "Sendrecv";
        if constexpr (std::same_as<C, Isend>) return "Isend";
        if constexpr (std::same_as<C, Irecv> || std::same_as<C, UnmatchedIrecv>) return "Irecv";
        if constexpr (std::same_as<C, SendInit>) return "Send_init";
        if constexpr (std::same_as<C, ReceiveInit>) return "Recv_init";
        if constexpr (std::same_as<C, Start>) return "Start";
        if constexpr (std::same_as<C, FreeRequest>) return "Request_free";
        if constexpr (std::same_as<C, StartAll>) return "Startall";
        if constexpr (std::same_as<C, Cancel>) return "Cancel";
        if constexpr (std::same_as<C, Wait>) return "Wait";
        if constexpr (std::same_as<C, WaitAll> || std::same_as<C, WaitAllUnlessTested>) return "Waitall";
        if constexpr (std::same_as<C, TestAll>) return "Testall";
        if constexpr (std::same_as<C, Barrier>) return one.request ? "Ibarrier" : "Barrier";
        if constexpr (std::same_as<C, Bcast>) return one.request ? "Ibcast" : "Bcast";
        if constexpr (std::same_as<C, Reduce>) return one.request ? "Ireduce" : "Reduce";
        if constexpr (std::same_as<C, Allreduce>) return one.request ? "Iallreduce" : "Allreduce";
        if constexpr (std::same_as<C, ReduceScatter>)
          return one.request ? "Ireduce_scatter_block" : "Reduce_scatter_block";
        if constexpr (std::same_as<C, Allgather>) return one.request ? "Iallgather" : "Allgather";
        if constexpr (std::same_as<C, Allgatherv>) return one.request ? "Iallgatherv" : "Allgatherv";
        if constexpr (std::same_as<C, Alltoall>) return one.request ? "Ialltoall" : "Alltoall";
        if constexpr (std::same_as<C, Alltoallv>) return one.request ? "Ialltoallv" : "Alltoallv";
        return {};
      },
      call);
}

CallList::CallList(int rank, int ranks) : all_ranks_{0, rank, ranks} {}

void CallList::compute(double nanoseconds) {
  if (nanoseconds > 0) calls_.emplace_back(Compute{nanoseconds});
}

void CallList::send(int to, int tag, std::int64_t bytes) {
  if (is_left_out(to)) return;
  const auto [type, count] = amount_of(bytes);
  calls_.emplace_back(Send{type, {to, tag, count}});
}

void CallList::receive(int from, int tag, std::int64_t bytes) {
  if (is_left_out(from)) return;
  const auto [type, count] = amount_of(bytes);
  calls_.emplace_back(Receive{type, {from, tag, count, count}});
}

void CallList::sendrecv(int to, int tag, std::int64_t bytes, int from, int from_tag, std::int64_t capacity,
                        std::int64_t arriving) {
  const ElementType type = type_of(bytes | capacity | arriving);
  calls_.emplace_back(SendReceive{
      type, {to, tag, elements(bytes, type)}, {from, from_tag, elements(capacity, type), elements(arriving, type)}});
}

Requests CallList::requests(int count) {
  const Requests created{request_slots_, count};
  request_slots_ += count;
  receive_inits_.resize(static_cast<std::size_t>(request_slots_), -1);
  return created;
}

void CallList::isend(Request request, int to, int tag, std::int64_t bytes) {
  if (is_left_out(to)) return;
  const auto [type, count] = amount_of(bytes);
  calls_.emplace_back(Isend{type, {to, tag, count}, request});
}

void CallList::irecv(Request request, int from, int tag, std::int64_t bytes, Source source) {
  if (is_left_out(from)) return;
  const auto [type, count] = amount_of(bytes);
  calls_.emplace_back(Irecv{type, {from, tag, count, count}, request, source});
}

void CallList::irecv_up_to(Request request, int from, int tag, std::int64_t capacity, std::int64_t arriving) {
  if (from < 0) return;
  const ElementType type = type_of(capacity | arriving);
  calls_.emplace_back(
      Irecv{type, {from, tag, elements(capacity, type), elements(arriving, type)}, request, Source::named});
}

void CallList::irecv_unmatched(Request request, int from, int tag, std::int64_t capacity) {
  if (from < 0) return;
  const auto [type, count] = amount_of(capacity);
  calls_.emplace_back(UnmatchedIrecv{type, from, tag, count, request});
}

void CallList::cancel(Request request) { calls_.emplace_back(Cancel{request}); }

void CallList::persistent_send(Request request, int to, int tag, std::int64_t bytes) {
  if (to < 0) return;
  const auto [type, count] = amount_of(bytes);
  persistent_.emplace_back(Isend{type, {to, tag, count}, request});
}

void CallList::persistent_receive(Request request, int from, int tag, std::int64_t bytes) {
  if (from < 0) return;
  const auto [type, count] = amount_of(bytes);
  persistent_.emplace_back(Irecv{type, {from, tag, count, count}, request, Source::named});
}

void CallList::send_init(Request request, int to, int tag, std::int64_t bytes) {
  const auto [type, count] = amount_of(bytes);
  receive_inits_[static_cast<std::size_t>(request.slot)] = -1;
  calls_.emplace_back(SendInit{Isend{type, {to, tag, count}, request}});
}

void CallList::receive_init(Request request, int from, int tag, std::int64_t bytes) {
  const auto [type, count] = amount_of(bytes);
  receive_inits_[static_cast<std::size_t>(request.slot)] = static_cast<int>(calls_.size());
  calls_.emplace_back(ReceiveInit{Irecv{type, {from, tag, count, 0}, request, Source::named}});
}

void CallList::start(Request request) {
  const int init = receive_inits_[static_cast<std::size_t>(request.slot)];
  if (init >= 0) {
    Incoming& in = std::get<ReceiveInit>(calls_[static_cast<std::size_t>(init)]).in;
    in.count = in.capacity;
  }
  calls_.emplace_back(Start{request});
}

void CallList::free_request(Request request) { calls_.emplace_back(FreeRequest{request}); }
void CallList::start_all(Requests requests) { calls_.emplace_back(StartAll{requests}); }
void CallList::wait(Request request) { calls_.emplace_back(Wait{request}); }
void CallList::wait_all(Requests requests) { calls_.emplace_back(WaitAll{requests}); }
void CallList::test_all(Requests requests) { calls_.emplace_back(TestAll{requests}); }
void CallList::wait_all_unless_tested(Requests requests) { calls_.emplace_back(WaitAllUnlessTested{requests}); }

CommunicatorRef CallList::split(int colour, int rank, int size) {
  const CommunicatorRef created{static_cast<int>(splits_.size()) + 1, rank, size};
  splits_.push_back({colour, created});
  return created;
}

void CallList::barrier(const CommunicatorRef& comm) { calls_.emplace_back(Barrier{{comm.number, {}}}); }

void CallList::bcast(const CommunicatorRef& comm, int root, std::int64_t bytes) {
  const auto [type, count] = amount_of(bytes);
  calls_.emplace_back(Bcast{{comm.number, {}}, type, count, root});
}

void CallList::reduce(const CommunicatorRef& comm, int root, ReduceOp op, ElementType type, std::int64_t count) {
  calls_.emplace_back(Reduce{{comm.number, {}}, type, op, checked_count(count, type), root});
}

void CallList::allreduce(const CommunicatorRef& comm, ReduceOp op, ElementType type, std::int64_t count) {
  calls_.emplace_back(Allreduce{{comm.number, {}}, type, op, checked_count(count, type)});
}

void CallList::reduce_scatter(const CommunicatorRef& comm, ReduceOp op, ElementType type, std::int64_t count) {
  checked_count(count * comm.size, type);
  calls_.emplace_back(ReduceScatter{{comm.number, {}}, type, op, checked_count(count, type)});
}

void CallList::allgather(const CommunicatorRef& comm, ElementType type, std::int64_t count) {
  calls_.emplace_back(Allgather{{comm.number, {}}, type, checked_count(count, type)});
}

void CallList::allgather(const CommunicatorRef& comm, std::int64_t bytes) {
  const ElementType type = type_of(bytes);
  allgather(comm, type, bytes / size_of(type));
}

int CallList::add_list(ElementType type, const std::vector<std::int64_t>& counts) {
  std::vector<int> list;
  std::int64_t sum = 0;
  for (const std::int64_t count : counts) {
    list.push_back(checked_count(count, type));
    sum += count;
  }
  checked_count(sum, type);  // displacements must fit an int, too
  lists_.push_back(std::move(list));
  return static_cast<int>(lists_.size()) - 1;
}

void CallList::allgatherv(const CommunicatorRef& comm, ElementType type, const std::vector<std::int64_t>& counts) {
  const int number = add_list(type, counts);
  const int own = list(number)[static_cast<std::size_t>(comm.rank)];
  calls_.emplace_back(Allgatherv{{comm.number, {}}, type, own, number});
}

void CallList::alltoall(const CommunicatorRef& comm, ElementType type, std::int64_t count_each) {
  calls_.emplace_back(Alltoall{{comm.number, {}}, type, checked_count(count_each, type)});
}

void CallList::alltoall(const CommunicatorRef& comm, std::int64_t bytes_each) {
  const ElementType type = type_of(bytes_each);
  alltoall(comm, type, bytes_each / size_of(type));
}

void CallList::alltoallv(const CommunicatorRef& comm, ElementType type, const std::vector<std::int64_t>& counts_to,
                         const std::vector<std::int64_t>& counts_from) {
  const int to = add_list(type, counts_to);
  const int from = add_list(type, counts_from);
  calls_.emplace_back(Alltoallv{{comm.number, {}}, type, to, from});
}

void CallList::alltoallv(const CommunicatorRef& comm, const std::vector<std::int64_t>& bytes_to,
                         const std::vector<std::int64_t>& bytes_from) {
  const bool all_doubles = std::ranges::all_of(bytes_to, is_doubles) && std::ranges::all_of(bytes_from, is_doubles);
  const ElementType type = all_doubles ? ElementType::doubles : ElementType::bytes;
  const auto counts = [type](std::vector<std::int64_t> bytes) {
    for (std::int64_t& amount : bytes) amount /= size_of(type);
    return bytes;
  };
  alltoallv(comm, type, counts(bytes_to), counts(bytes_from));
}

void CallList::nonblocking_last(Request request) {
  std::visit(
      [&]<class C>(C& call) {
        if constexpr (IsCollective<C>) call.request = request;
      },
      calls_.back());
}

int CallList::begin_loop(std::int64_t times) {
  calls_.emplace_back(Repeat{checked_count(times, ElementType::bytes), 0});
  return static_cast<int>(calls_.size()) - 1;
}

void CallList::end_loop(int begin) {
  std::get<Repeat>(calls_[static_cast<std::size_t>(begin)]).end = static_cast<int>(calls_.size());
  calls_.emplace_back(EndRepeat{begin});
}

template <IsCollective C>
std::int64_t CallList::bytes_sent(const C& call) const {
  if constexpr (std::same_as<C, Barrier>) {
    return 0;
  } else {
    std::int64_t count = 0;
    if constexpr (std::same_as<C, Alltoallv>) {
      const std::vector<int>& to = list(call.counts_to);
      count = std::accumulate(to.begin(), to.end(), std::int64_t{0});
    } else {
      count = call.count;
    }
    if constexpr (std::same_as<C, Alltoall> || std::same_as<C, ReduceScatter>) count *= ranks_of(call).size;
    if constexpr (std::same_as<C, Bcast>) count = ranks_of(call).rank == call.root ? count : 0;
    return count * size_of(call.type);
  }
}

template <class Visit>
void CallList::for_each_call(Visit visit) const {
  std::vector<std::int64_t> times{1};
  for (const Call& call : calls_) {
    if (const auto* repeat = std::get_if<Repeat>(&call)) {
      times.push_back(times.back() * repeat->times);
    } else if (std::holds_alternative<EndRepeat>(call)) {
      times.pop_back();
    } else {
      std::visit([&](const auto& one) { visit(one, times.back()); }, call);
    }
  }
}

std::uint64_t CallList::computations() const {
  std::int64_t sum = 0;
  for_each_call([&]<class C>(const C&, std::int64_t times) {
    if constexpr (std::same_as<C, Compute>) sum += times;
  });
  return static_cast<std::uint64_t>(sum);
}

std::int64_t CallList::mpi_calls() const {
  std::int64_t sum = 0;
  for_each_call([&]<class C>(const C&, std::int64_t times) { sum += std::same_as<C, Compute> ? 0 : times; });
  return sum;
}

std::int64_t CallList::conditional_waits() const {
  std::int64_t sum = 0;
  for_each_call(
      [&]<class C>(const C&, std::int64_t times) { sum += std::same_as<C, WaitAllUnlessTested> ? times : 0; });
  return sum;
}

PersistentSends::PersistentSends(const CallList& list)
    : sends_(static_cast<std::size_t>(list.request_slots()), nullptr) {
  for (const PersistentCall& persistent : list.persistent()) {
    if (const auto* send = std::get_if<Isend>(&persistent)) send_of(send->request) = send;
  }
}

Traffic CallList::traffic(double scale) const {
  Traffic sum;
  const auto count_message = [&]<class C>(const C& call, std::int64_t times) {
    if constexpr (Sends<C>) {
      if (call.out.to < 0) return;
      sum.messages += times;
      sum.message_bytes += times * call.out.count * size_of(call.type);
    }
  };
  PersistentSends persistent(*this);
  for_each_call([&]<class C>(const C& call, std::int64_t times) {
    persistent.visit_started(call, [&](const Isend& send) { count_message(send, times); });
    if constexpr (std::same_as<C, Compute>) {
      sum.compute_s += static_cast<double>(times) * call.duration_ns * scale * 1e-9;
    } else if constexpr (IsCollective<C>) {
      sum.collectives += ranks_of(call).rank == 0 ? times : 0;
      sum.collective_bytes += times * bytes_sent(call);
    } else if constexpr (!std::same_as<C, SendInit>) {
      count_message(call, times);
    }
  });
  return sum;
}

}  // namespace stressbench::calls
