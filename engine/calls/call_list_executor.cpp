#include "calls/call_list_executor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "core/payload.hpp"
#include "mpi/either.hpp"

namespace stressbench::calls {
namespace {

constexpr std::size_t kinds = 5;

MPI_Datatype datatype_of(Kind kind) noexcept {
  switch (kind) {
    case Kind::bytes:
      return MPI_BYTE;
    case Kind::shorts:
      return MPI_SHORT;
    case Kind::ints:
      return MPI_INT;
    case Kind::floats:
      return MPI_FLOAT;
    case Kind::doubles:
      return MPI_DOUBLE;
  }
  return MPI_BYTE;
}

MPI_Op operation_of(ReduceOp op) noexcept {
  return op == ReduceOp::sum ? MPI_SUM : op == ReduceOp::min ? MPI_MIN : MPI_MAX;
}

bool is_posted(const Step& step) noexcept { return step.posted || step.act == Act::isend || step.act == Act::irecv; }
bool is_reduction(Act act) noexcept {
  return act == Act::reduce || act == Act::allreduce || act == Act::reduce_scatter;
}

std::size_t total(const std::vector<int>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::size_t{0},
                         [](std::size_t sum, int count) { return sum + static_cast<std::size_t>(count); });
}

// Hands out memory on borders of 64 bytes.
class Room {
 public:
  std::size_t take(std::size_t bytes) noexcept {
    const std::size_t at = size_;
    size_ += (bytes + 63) / 64 * 64;
    return at;
  }
  std::size_t size() const noexcept { return size_; }

 private:
  std::size_t size_ = 0;
};

// Ones, which every reduction of ours turns into a number that is known.
template <class T>
void write_ones(std::byte* to, std::size_t count) noexcept {
  const T one = 1;
  for (std::size_t k = 0; k < count; ++k) std::memcpy(to + k * sizeof one, &one, sizeof one);
}

// Calls visit(T{}) with the type of an element.
template <class Visit>
auto with_type(Kind kind, Visit visit) {
  switch (kind) {
    case Kind::shorts:
      return visit(short{});
    case Kind::ints:
      return visit(int{});
    case Kind::floats:
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

CallListExecutor::CallListExecutor(CallList calls, const mpi::Group& group) : calls_(std::move(calls)), group_(&group) {
  for (const CallList::Split& split : calls_.splits()) splits_.push_back(group.split(split.colour, split.ranks.rank));
  for (const std::vector<int>& counts : calls_.lists()) {
    List list{counts, {}};
    list.displacements.resize(list.counts.size());
    std::exclusive_scan(list.counts.begin(), list.counts.end(), list.displacements.begin(), 0);
    lists_.push_back(std::move(list));
  }
  requests_.assign(static_cast<std::size_t>(calls_.places()), MPI_REQUEST_NULL);
  left_.assign(calls_.steps().size(), 0);
  lay_out(Memory::shared);
}

CallListExecutor::~CallListExecutor() { free_persistent(); }

std::size_t CallListExecutor::sent(const Step& step) const {
  auto count = static_cast<std::size_t>(step.count);
  if (step.act == Act::alltoall || step.act == Act::reduce_scatter) {
    count *= static_cast<std::size_t>(ranks_of(step).size());
  }
  if (step.act == Act::alltoallv) count = total(calls_.list(step.list));
  return count * static_cast<std::size_t>(size_of(step.kind));
}

std::size_t CallListExecutor::received(const Step& step) const {
  auto count = static_cast<std::size_t>(step.room);
  if (step.act == Act::alltoall || step.act == Act::allgather) {
    count *= static_cast<std::size_t>(ranks_of(step).size());
  }
  if (step.act == Act::alltoallv) count = total(calls_.list(step.list + 1));
  if (step.act == Act::allgatherv) count = total(calls_.list(step.list));
  return count * static_cast<std::size_t>(size_of(step.kind));
}

// Shared: one place for all blocking calls, one for each request, one for what is reduced (of each kind, since it holds
// ones). Apart: one for each step.
void CallListExecutor::lay_out(Memory memory) {
  memory_ = memory;
  Room out;
  Room in;
  std::vector<std::size_t> out_size(requests_.size(), 0);
  std::vector<std::size_t> in_size(requests_.size(), 0);
  std::size_t blocking_out = 0;
  std::size_t blocking_in = 0;
  std::size_t ones[kinds] = {};
  const auto measure = [&](const Step& step) {
    const auto request = static_cast<std::size_t>(step.request);
    std::size_t& most_out = is_posted(step)          ? out_size[request]
                            : is_reduction(step.act) ? ones[static_cast<std::size_t>(step.kind)]
                                                     : blocking_out;
    most_out = std::max(most_out, sent(step));
    std::size_t& most_in = is_posted(step) ? in_size[request] : blocking_in;
    most_in = std::max(most_in, received(step));
  };
  std::vector<Place> of_request(requests_.size());
  Place of_blocking;
  std::size_t of_ones[kinds] = {};
  if (memory == Memory::shared) {
    std::ranges::for_each(calls_.steps(), measure);
    std::ranges::for_each(calls_.persistent(), measure);
    for (std::size_t k = 0; k < of_request.size(); ++k) of_request[k] = {out.take(out_size[k]), in.take(in_size[k])};
    of_blocking = {out.take(blocking_out), in.take(blocking_in)};
    for (std::size_t k = 0; k < kinds; ++k) of_ones[k] = out.take(ones[k]);
  }
  const auto place_of = [&](const Step& step) -> Place {
    if (memory == Memory::apart) return {out.take(sent(step)), in.take(received(step))};
    if (is_posted(step)) return of_request[static_cast<std::size_t>(step.request)];
    if (is_reduction(step.act)) return {of_ones[static_cast<std::size_t>(step.kind)], of_blocking.in};
    return of_blocking;
  };
  places_.clear();
  persistent_places_.clear();
  std::ranges::transform(calls_.steps(), std::back_inserter(places_), place_of);
  std::ranges::transform(calls_.persistent(), std::back_inserter(persistent_places_), place_of);
  free_persistent();
  out_ = Buffer(out.size());
  in_ = Buffer(in.size());
  make_persistent();
  fill_reductions();
}

std::span<std::byte> CallListExecutor::outgoing(const Step& step, const Place& place) const {
  return out_.bytes(place.out, sent(step));
}
std::span<std::byte> CallListExecutor::incoming(const Step& step, const Place& place) const {
  return in_.bytes(place.in, received(step));
}

void CallListExecutor::make_persistent() {
  for (std::size_t k = 0; k < calls_.persistent().size(); ++k) {
    const Step& message = calls_.persistent()[k];
    MPI_Request* request = &requests_[static_cast<std::size_t>(message.request)];
    if (message.act == Act::isend) {
      mpi::must(MPI_Send_init(outgoing(message, persistent_places_[k]).data(), message.count, datatype_of(message.kind),
                              message.peer, message.tag, group_->handle(), request),
                "MPI_Send_init");
    } else {
      mpi::must(MPI_Recv_init(incoming(message, persistent_places_[k]).data(), message.room, datatype_of(message.kind),
                              message.from, message.from_tag, group_->handle(), request),
                "MPI_Recv_init");
    }
  }
}

void CallListExecutor::free_persistent() noexcept {
  for (const Step& message : calls_.persistent()) {
    MPI_Request& request = requests_[static_cast<std::size_t>(message.request)];
    if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
  }
}

void CallListExecutor::fill_reductions() {
  for (std::size_t k = 0; k < places_.size(); ++k) {
    const Step& step = calls_.steps()[k];
    if (!is_reduction(step.act)) continue;
    with_type(step.kind, [&]<class T>(T) { write_ones<T>(out_.data() + places_[k].out, sent(step) / sizeof(T)); });
  }
}

void CallListExecutor::perform(const Recorder& recorder, ComputeTimes& compute_times) {
  const std::vector<Step>& steps = calls_.steps();
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const Step& step = steps[k];
    switch (step.act) {
      case Act::compute:
        if (compute_times.how != Computation::off) {
          pause::until(compute_times.how, recorder, recorder.now_ns() + compute_times.stretched(step.compute_ns));
        }
        break;
      case Act::repeat:
        left_[k] = step.times;
        break;
      case Act::end_repeat:
        if (--left_[static_cast<std::size_t>(step.other)] > 0) k = static_cast<std::size_t>(step.other);
        break;
      default:
        step.act < Act::barrier ? post(step, places_[k]) : communicate(step, places_[k]);
    }
  }
}

void CallListExecutor::post(const Step& step, const Place& place) {
  std::byte* const out = out_.data() + place.out;
  std::byte* const in = in_.data() + place.in;
  MPI_Datatype type = datatype_of(step.kind);
  MPI_Comm all = group_->handle();
  MPI_Request* const request = requests_.data() + step.request;
  const int from = step.source == Source::any ? MPI_ANY_SOURCE : step.from;
  switch (step.act) {
    case Act::send:
      return mpi::must(MPI_Send(out, step.count, type, step.peer, step.tag, all), "MPI_Send");
    case Act::receive:
      return mpi::must(MPI_Recv(in, step.room, type, step.from, step.from_tag, all, MPI_STATUS_IGNORE), "MPI_Recv");
    case Act::sendrecv:
      return mpi::must(
          MPI_Sendrecv(out, step.count, type, step.peer < 0 ? MPI_PROC_NULL : step.peer, step.tag, in, step.room, type,
                       step.from < 0 ? MPI_PROC_NULL : step.from, step.from_tag, all, MPI_STATUS_IGNORE),
          "MPI_Sendrecv");
    case Act::isend:
      return mpi::must(MPI_Isend(out, step.count, type, step.peer, step.tag, all, request), "MPI_Isend");
    case Act::irecv:
      return mpi::must(MPI_Irecv(in, step.room, type, from, step.from_tag, all, request), "MPI_Irecv");
    case Act::start_all:
      return mpi::must(MPI_Startall(step.requests, request), "MPI_Startall");
    case Act::wait:
      return mpi::must(MPI_Wait(request, MPI_STATUS_IGNORE), "MPI_Wait");
    case Act::test_all: {
      int complete = 0;
      mpi::must(MPI_Testall(step.requests, request, &complete, MPI_STATUSES_IGNORE), "MPI_Testall");
      tested_complete_ = complete != 0;
      return;
    }
    case Act::wait_all_unless_tested:
      if (tested_complete_) return;
      [[fallthrough]];
    default:
      return mpi::must(MPI_Waitall(step.requests, request, MPI_STATUSES_IGNORE), "MPI_Waitall");
  }
}

void CallListExecutor::communicate(const Step& step, const Place& place) {
  std::byte* const out = out_.data() + place.out;
  std::byte* const in = in_.data() + place.in;
  MPI_Datatype type = datatype_of(step.kind);
  MPI_Op operation = operation_of(step.op);
  MPI_Comm ranks = ranks_of(step).handle();
  MPI_Request* const request = step.posted ? requests_.data() + step.request : nullptr;
  const List* const list = step.list < 0 ? nullptr : &lists_[static_cast<std::size_t>(step.list)];
  switch (step.act) {
    case Act::barrier:
      return mpi::either(request, "MPI_Barrier", MPI_Barrier, MPI_Ibarrier, ranks);
    case Act::bcast:
      return mpi::either(request, "MPI_Bcast", MPI_Bcast, MPI_Ibcast, ranks_of(step).rank() == step.peer ? out : in,
                         step.count, type, step.peer, ranks);
    case Act::reduce:
      return mpi::either(request, "MPI_Reduce", MPI_Reduce, MPI_Ireduce, out, in, step.count, type, operation,
                         step.peer, ranks);
    case Act::allreduce:
      return mpi::either(request, "MPI_Allreduce", MPI_Allreduce, MPI_Iallreduce, out, in, step.count, type, operation,
                         ranks);
    case Act::reduce_scatter:
      return mpi::either(request, "MPI_Reduce_scatter_block", MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, out,
                         in, step.room, type, operation, ranks);
    case Act::allgather:
      return mpi::either(request, "MPI_Allgather", MPI_Allgather, MPI_Iallgather, out, step.count, type, in, step.room,
                         type, ranks);
    case Act::allgatherv:
      return mpi::either(request, "MPI_Allgatherv", MPI_Allgatherv, MPI_Iallgatherv, out, step.count, type, in,
                         list->counts.data(), list->displacements.data(), type, ranks);
    case Act::alltoall:
      return mpi::either(request, "MPI_Alltoall", MPI_Alltoall, MPI_Ialltoall, out, step.count, type, in, step.room,
                         type, ranks);
    default:
      return mpi::either(request, "MPI_Alltoallv", MPI_Alltoallv, MPI_Ialltoallv, out, list[0].counts.data(),
                         list[0].displacements.data(), type, in, list[1].counts.data(), list[1].displacements.data(),
                         type, ranks);
  }
}

template <class Visit>
void CallListExecutor::each_sent(Visit visit) const {
  const auto one = [&](const Step& step, const Place& place) {
    const std::span<std::byte> all = outgoing(step, place);
    const mpi::Group& ranks = ranks_of(step);
    if (step.act == Act::alltoall || step.act == Act::alltoallv) {
      for (int peer = 0; peer < ranks.size(); ++peer) visit(part(step, step.list, all, peer), ranks.rank(), peer);
    } else if (step.act == Act::allgather || step.act == Act::allgatherv) {
      visit(all, ranks.rank(), -1);
    } else if (step.act == Act::bcast) {
      if (ranks.rank() == step.peer) visit(all, step.peer, -1);
    } else if (!is_reduction(step.act) && step.peer >= 0) {
      visit(all, ranks.rank(), step.peer);
    }
  };
  for (std::size_t k = 0; k < places_.size(); ++k) one(calls_.steps()[k], places_[k]);
  for (std::size_t k = 0; k < persistent_places_.size(); ++k) one(calls_.persistent()[k], persistent_places_[k]);
}

template <class Visit>
void CallListExecutor::each_received(Visit visit) const {
  const auto one = [&](const Step& step, const Place& place) {
    const std::span<std::byte> all = incoming(step, place);
    const mpi::Group& ranks = ranks_of(step);
    if (step.act == Act::alltoall || step.act == Act::alltoallv) {
      for (int peer = 0; peer < ranks.size(); ++peer) visit(part(step, step.list + 1, all, peer), peer, ranks.rank());
    } else if (step.act == Act::allgather || step.act == Act::allgatherv) {
      for (int peer = 0; peer < ranks.size(); ++peer) visit(part(step, step.list, all, peer), peer, -1);
    } else if (step.act == Act::bcast) {
      if (ranks.rank() != step.peer) visit(all, step.peer, -1);
    } else if (!is_reduction(step.act) && step.from >= 0) {
      const auto arriving = static_cast<std::size_t>(step.arriving) * static_cast<std::size_t>(size_of(step.kind));
      visit(all.first(arriving), step.from, ranks.rank());
    }
  };
  for (std::size_t k = 0; k < places_.size(); ++k) one(calls_.steps()[k], places_[k]);
  for (std::size_t k = 0; k < persistent_places_.size(); ++k) one(calls_.persistent()[k], persistent_places_[k]);
}

// What goes to `peer` or comes from it.
std::span<std::byte> CallListExecutor::part(const Step& step, int list, std::span<std::byte> all, int peer) const {
  const auto element = static_cast<std::size_t>(size_of(step.kind));
  const auto at = static_cast<std::size_t>(peer);
  if (step.list < 0)
    return all.subspan(at * static_cast<std::size_t>(step.count) * element,
                       static_cast<std::size_t>(step.count) * element);
  const List& laid_out = lists_[static_cast<std::size_t>(list)];
  return all.subspan(static_cast<std::size_t>(laid_out.displacements[at]) * element,
                     static_cast<std::size_t>(laid_out.counts[at]) * element);
}

void CallListExecutor::fill_payload(std::uint64_t pass) {
  if (memory_ == Memory::shared) lay_out(Memory::apart);
  each_sent([&](std::span<std::byte> bytes, int from, int to) { payload::fill(bytes, {from, to, pass}); });
  each_received([&](std::span<std::byte> bytes, int from, int to) { payload::poison(bytes, {from, to, pass}); });
  for (std::size_t k = 0; k < places_.size(); ++k) {
    if (is_reduction(calls_.steps()[k].act)) std::ranges::fill(incoming(calls_.steps()[k], places_[k]), std::byte{0});
  }
}

void CallListExecutor::verify(std::uint64_t pass) const {
  each_received([&](std::span<std::byte> bytes, int from, int to) { payload::check(bytes, {from, to, pass}); });
  for (std::size_t k = 0; k < places_.size(); ++k) {
    const Step& step = calls_.steps()[k];
    if (is_reduction(step.act)) check_reduction(step, places_[k]);
  }
}

void CallListExecutor::check_reduction(const Step& step, const Place& place) const {
  const mpi::Group& ranks = ranks_of(step);
  if (step.act == Act::reduce && ranks.rank() != step.peer) return;
  const int wanted = step.op == ReduceOp::sum ? ranks.size() : 1;
  const std::byte* const found = in_.data() + place.in;
  const auto count = static_cast<std::size_t>(step.count);
  if (with_type(step.kind, [&]<class T>(T) { return all_are<T>(found, count, static_cast<T>(wanted)); })) return;
  throw MachineFault(
      fmt::format("wrong element: rank {} got another result than {} from a reduction of ones on {} ranks",
                  ranks.rank(), wanted, ranks.size()));
}

}  // namespace stressbench::calls
