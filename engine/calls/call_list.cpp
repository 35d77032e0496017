#include "calls/call_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace stressbench::calls {
namespace {

struct Amount {
  Kind kind;
  int count;
};

int counted(std::int64_t count, Kind kind) {
  if (count > std::numeric_limits<int>::max()) {
    throw ParameterMistake(
        "", fmt::format("a message of {} bytes is longer than MPI's counts allow", count * size_of(kind)));
  }
  return static_cast<int>(count);
}

bool is_doubles(std::int64_t bytes) noexcept { return bytes % size_of(Kind::doubles) == 0; }
Kind kind_of(std::int64_t bytes) noexcept { return is_doubles(bytes) ? Kind::doubles : Kind::bytes; }

Amount amount_of(std::int64_t bytes) {
  const Kind kind = kind_of(bytes);
  return {kind, counted(bytes / size_of(kind), kind)};
}

bool is_collective(Act act) noexcept { return act >= Act::barrier && act <= Act::alltoallv; }

}  // namespace

std::int64_t size_of(Kind kind) noexcept {
  switch (kind) {
    case Kind::bytes:
      return 1;
    case Kind::shorts:
      return 2;
    case Kind::ints:
    case Kind::floats:
      return 4;
    case Kind::doubles:
      return 8;
  }
  return 1;
}

CallList::CallList(int rank, int ranks) : all_ranks_{0, rank, ranks} {}

Step& CallList::add(Act act) {
  steps_.emplace_back();
  steps_.back().act = act;
  return steps_.back();
}

void CallList::compute(double nanoseconds) {
  if (nanoseconds > 0) add(Act::compute).compute_ns = nanoseconds;
}

void CallList::send(int to, int tag, std::int64_t bytes) {
  if (to < 0) return;
  const auto [kind, count] = amount_of(bytes);
  Step& step = add(Act::send);
  step.kind = kind;
  step.peer = to;
  step.tag = tag;
  step.count = count;
}

void CallList::receive(int from, int tag, std::int64_t bytes) {
  if (from < 0) return;
  const auto [kind, count] = amount_of(bytes);
  Step& step = add(Act::receive);
  step.kind = kind;
  step.from = from;
  step.from_tag = tag;
  step.room = step.arriving = count;
}

void CallList::sendrecv(int to, int tag, std::int64_t bytes, int from, int from_tag, std::int64_t room,
                        std::int64_t arriving) {
  const Kind kind = kind_of(bytes | room | arriving);
  Step& step = add(Act::sendrecv);
  step.kind = kind;
  step.peer = to;
  step.tag = tag;
  step.count = counted(bytes / size_of(kind), kind);
  step.from = from;
  step.from_tag = from_tag;
  step.room = counted(room / size_of(kind), kind);
  step.arriving = counted(arriving / size_of(kind), kind);
}

Requests CallList::requests(int count) {
  const Requests made{places_, count};
  places_ += count;
  return made;
}

void CallList::isend(Request request, int to, int tag, std::int64_t bytes) {
  if (to < 0) return;
  send(to, tag, bytes);
  steps_.back().act = Act::isend;
  steps_.back().request = request.place;
}

void CallList::irecv(Request request, int from, int tag, std::int64_t bytes, Source source) {
  if (from < 0) return;
  receive(from, tag, bytes);
  steps_.back().act = Act::irecv;
  steps_.back().request = request.place;
  steps_.back().source = source;
}

void CallList::irecv_up_to(Request request, int from, int tag, std::int64_t room, std::int64_t arriving) {
  if (from < 0) return;
  const Kind kind = kind_of(room | arriving);
  irecv(request, from, tag, arriving);
  Step& step = steps_.back();
  step.kind = kind;
  step.room = counted(room / size_of(kind), kind);
  step.arriving = counted(arriving / size_of(kind), kind);
}

void CallList::persistent_send(Request request, int to, int tag, std::int64_t bytes) {
  if (to < 0) return;
  isend(request, to, tag, bytes);
  persistent_.push_back(steps_.back());
  steps_.pop_back();
}

void CallList::persistent_receive(Request request, int from, int tag, std::int64_t bytes) {
  if (from < 0) return;
  irecv(request, from, tag, bytes);
  persistent_.push_back(steps_.back());
  steps_.pop_back();
}

void CallList::start_all(Requests requests) {
  Step& step = add(Act::start_all);
  step.request = requests.first;
  step.requests = requests.count;
}

void CallList::wait(Request request) {
  Step& step = add(Act::wait);
  step.request = request.place;
  step.requests = 1;
}

void CallList::wait_all(Requests requests) {
  start_all(requests);
  steps_.back().act = Act::wait_all;
}

void CallList::test_all(Requests requests) {
  start_all(requests);
  steps_.back().act = Act::test_all;
}

void CallList::wait_all_unless_tested(Requests requests) {
  start_all(requests);
  steps_.back().act = Act::wait_all_unless_tested;
}

Ranks CallList::split(int colour, int rank, int size) {
  const Ranks made{static_cast<int>(splits_.size()) + 1, rank, size};
  splits_.push_back({colour, made});
  return made;
}

Step& CallList::add_collective(Act act, const Ranks& ranks) {
  Step& step = add(act);
  step.ranks = ranks.number;
  return step;
}

void CallList::barrier(const Ranks& ranks) { add_collective(Act::barrier, ranks); }

void CallList::bcast(const Ranks& ranks, int root, std::int64_t bytes) {
  const auto [kind, count] = amount_of(bytes);
  Step& step = add_collective(Act::bcast, ranks);
  step.kind = kind;
  step.peer = root;
  step.count = step.room = step.arriving = count;
}

void CallList::reduce(const Ranks& ranks, int root, ReduceOp op, Kind kind, std::int64_t count) {
  allreduce(ranks, op, kind, count);
  steps_.back().act = Act::reduce;
  steps_.back().peer = root;
}

void CallList::allreduce(const Ranks& ranks, ReduceOp op, Kind kind, std::int64_t count) {
  Step& step = add_collective(Act::allreduce, ranks);
  step.op = op;
  step.kind = kind;
  step.count = step.room = counted(count, kind);
}

void CallList::reduce_scatter(const Ranks& ranks, ReduceOp op, Kind kind, std::int64_t count) {
  counted(count * ranks.size, kind);
  allreduce(ranks, op, kind, count);
  steps_.back().act = Act::reduce_scatter;
}

void CallList::allgather(const Ranks& ranks, Kind kind, std::int64_t count) {
  Step& step = add_collective(Act::allgather, ranks);
  step.kind = kind;
  step.count = step.room = counted(count, kind);
}

void CallList::nonblocking_last(Request request) {
  steps_.back().request = request.place;
  steps_.back().posted = true;
}

int CallList::add_list(Kind kind, const std::vector<std::int64_t>& amounts, std::int64_t unit) {
  std::vector<int> list;
  std::int64_t sum = 0;
  for (const std::int64_t amount : amounts) {
    list.push_back(counted(amount / unit, kind));
    sum += amount / unit;
  }
  counted(sum, kind);  // displacements are counts, too
  lists_.push_back(std::move(list));
  return static_cast<int>(lists_.size()) - 1;
}

void CallList::allgatherv(const Ranks& ranks, Kind kind, const std::vector<std::int64_t>& counts) {
  const int list = add_list(kind, counts, 1);
  Step& step = add_collective(Act::allgatherv, ranks);
  step.kind = kind;
  step.list = list;
  step.count = lists_.back()[static_cast<std::size_t>(ranks.rank)];
}

void CallList::alltoall(const Ranks& ranks, std::int64_t bytes_each) {
  const auto [kind, count] = amount_of(bytes_each);
  Step& step = add_collective(Act::alltoall, ranks);
  step.kind = kind;
  step.count = step.room = count;
}

void CallList::alltoallv(const Ranks& ranks, const std::vector<std::int64_t>& bytes_to,
                         const std::vector<std::int64_t>& bytes_from) {
  const bool whole = std::ranges::all_of(bytes_to, is_doubles) && std::ranges::all_of(bytes_from, is_doubles);
  const Kind kind = whole ? Kind::doubles : Kind::bytes;
  const int list = add_list(kind, bytes_to, size_of(kind));
  add_list(kind, bytes_from, size_of(kind));
  Step& step = add_collective(Act::alltoallv, ranks);
  step.kind = kind;
  step.list = list;
}

int CallList::begin_loop(std::int64_t times) {
  add(Act::repeat).times = counted(times, Kind::bytes);
  return static_cast<int>(steps_.size()) - 1;
}

void CallList::end_loop(int begin) {
  add(Act::end_repeat).other = begin;
  steps_[static_cast<std::size_t>(begin)].other = static_cast<int>(steps_.size()) - 1;
}

const Ranks& CallList::ranks_of(const Step& step) const {
  return step.ranks == 0 ? all_ranks_ : splits_[static_cast<std::size_t>(step.ranks - 1)].ranks;
}

std::int64_t CallList::bytes_sent(const Step& step) const {
  std::int64_t count = step.count;
  if (step.act == Act::alltoall || step.act == Act::reduce_scatter) count *= ranks_of(step).size;
  if (step.act == Act::alltoallv) {
    const std::vector<int>& to = list(step.list);
    count = std::accumulate(to.begin(), to.end(), std::int64_t{0});
  }
  if (step.act == Act::bcast && ranks_of(step).rank != step.peer) count = 0;
  return count * size_of(step.kind);
}

template <class Visit>
void CallList::each_step(Visit visit) const {
  std::vector<std::int64_t> times{1};
  for (const Step& step : steps_) {
    if (step.act == Act::repeat) {
      times.push_back(times.back() * step.times);
    } else if (step.act == Act::end_repeat) {
      times.pop_back();
    } else {
      visit(step, times.back());
    }
  }
}

std::uint64_t CallList::computations() const {
  std::int64_t sum = 0;
  each_step([&](const Step& step, std::int64_t times) { sum += step.act == Act::compute ? times : 0; });
  return static_cast<std::uint64_t>(sum);
}

Traffic CallList::traffic(double scale) const {
  Traffic sum;
  const auto count_message = [&](const Step& step, std::int64_t times) {
    if (step.peer < 0) return;
    sum.messages += times;
    sum.message_bytes += times * bytes_sent(step);
  };
  each_step([&](const Step& step, std::int64_t times) {
    if (step.act == Act::compute) {
      sum.compute_s += static_cast<double>(times) * step.compute_ns * scale * 1e-9;
    } else if (step.act == Act::start_all) {
      for (const Step& message : persistent_) {
        const int place = message.request - step.request;
        if (place >= 0 && place < step.requests) count_message(message, times);
      }
    } else if (is_collective(step.act)) {
      sum.collectives += ranks_of(step).rank == 0 ? times : 0;
      sum.collective_bytes += times * bytes_sent(step);
    } else {
      count_message(step, times);
    }
  });
  return sum;
}

}  // namespace stressbench::calls
