#include "replay/trace_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <vector>

#include "core/checked.hpp"
#include "core/error.hpp"
#include "replay/operations.hpp"
#include "trace/read.hpp"

namespace stressbench::replay {
namespace {

std::int64_t sum_of(const std::vector<std::int64_t>& values) {
  return std::accumulate(values.begin(), values.end(), std::int64_t{0}, checked::sum);
}

const trace::Communicator& communicator_of(const trace::RankRecord& record, const trace::Call& call) {
  if (call.comm >= 0 && static_cast<std::size_t>(call.comm) < record.comms.size()) {
    return record.comms[static_cast<std::size_t>(call.comm)];
  }
  throw WrongValue(fmt::format("MPI_{} on communicator {}, which does not exist", call.op, call.comm));
}

// Numbers of out-neighbours in the topology communicators of one rank.
class Neighbours {
 public:
  explicit Neighbours(const trace::RankRecord& record) {
    for (const trace::Call& call : record.calls) {
      if (call.made) creations_.emplace(*call.made, &call);  // the first one counts
    }
  }

  // 0 for a communicator without topology. Follows a chain of duplicates once, however often its members are asked for.
  std::int64_t of(int comm) {
    std::vector<int> copies;
    std::int64_t count = 0;
    for (int number = comm;; copies.push_back(number), number = creations_.at(number)->comm) {
      const auto [known, is_new] = counts_.try_emplace(number, unfinished);
      if (!is_new && known->second == unfinished)
        throw WrongValue(fmt::format("communicator {} is a copy of itself", number));
      const auto creation = creations_.find(number);
      const bool is_copy = is_new && creation != creations_.end() &&
                           (creation->second->op.starts_with("Comm_dup") || creation->second->op == "Comm_idup");
      if (is_copy) continue;
      count = !is_new ? known->second : creation == creations_.end() ? 0 : defined_by(*creation->second);
      known->second = count;
      break;
    }
    for (const int copy : copies) counts_[copy] = count;
    return count;
  }

 private:
  static constexpr std::int64_t unfinished = -1;

  static std::int64_t defined_by(const trace::Call& call) {
    if (call.op == "Cart_create") return 2 * static_cast<std::int64_t>(call.dims.size());
    if (call.op == "Cart_sub") return 2 * std::ranges::count_if(call.remain, [](int remains) { return remains != 0; });
    return static_cast<std::int64_t>(call.destinations.size());
  }

  std::unordered_map<int, const trace::Call*> creations_;
  std::unordered_map<int, std::int64_t> counts_;
};

// Size in bytes of the whole send buffer of one rank in one collective call.
std::int64_t send_buffer_bytes(const trace::RankRecord& record, const trace::Call& call, ArgumentKind argument_kind,
                               Neighbours& neighbours) {
  const trace::Communicator& comm = communicator_of(record, call);
  const bool is_root = comm.rank == call.root;
  switch (argument_kind) {
    case ArgumentKind::scatter_block:
    case ArgumentKind::alltoall:
      return checked::product(call.bytes, comm.size);
    case ArgumentKind::gather:
    case ArgumentKind::gather_blocks:
      return call.in_place ? 0 : call.bytes;
    case ArgumentKind::scatter:
      return is_root ? checked::product(call.bytes, comm.size) : 0;
    case ArgumentKind::scatter_blocks:
      return is_root ? sum_of(call.counts.empty() ? call.receive_counts : call.counts) : 0;
    case ArgumentKind::alltoall_blocks:
    case ArgumentKind::neighbour_alltoall_blocks:
      return sum_of(call.counts.empty() && call.in_place ? call.receive_counts : call.counts);
    case ArgumentKind::neighbour_alltoall:
      return checked::product(call.bytes, neighbours.of(call.comm));
    default:
      return call.bytes;
  }
}

bool is_one_sided_transfer(ArgumentKind argument_kind) {
  return argument_kind == ArgumentKind::put || argument_kind == ArgumentKind::get ||
         argument_kind == ArgumentKind::fetch;
}

bool is_collective(const Operation& operation) {
  const auto within = [&](std::span<const Operation> table) {
    return &operation >= table.data() && &operation < table.data() + table.size();
  };
  return within(collective_operations()) || within(neighbour_operations());
}

void add(const trace::RankRecord& record, FileCalls files, Traffic& traffic) {
  const auto add_to = [](std::int64_t& total, std::int64_t more) { total = checked::sum(total, more); };
  Neighbours neighbours(record);
  add_to(traffic.messages, record.messages);
  add_to(traffic.message_bytes, record.message_bytes);
  for (const trace::Call& call : record.calls) {
    const Operation* const operation = find_operation(call.op);
    if (operation != nullptr && operation->argument_kind == ArgumentKind::file_move && files == FileCalls::executed) {
      add_to(traffic.file_bytes, checked::product(call.times, call.bytes));
    }
    if (operation != nullptr && is_one_sided_transfer(operation->argument_kind) && call.peer != trace::Call::none) {
      add_to(traffic.messages, call.times);
      add_to(traffic.message_bytes, checked::product(call.times, std::max(call.bytes, call.receive_bytes.value_or(0))));
    }
    if (operation == nullptr || !is_collective(*operation)) continue;
    if (communicator_of(record, call).rank == 0) add_to(traffic.collectives, call.times);
    add_to(traffic.collective_bytes,
           checked::product(call.times, send_buffer_bytes(record, call, operation->argument_kind, neighbours)));
  }
  for (const trace::Gap& gap : record.gaps) traffic.compute_s += gap.sum_s;
  traffic.compute_s += record.tail_s;
}

trace::RankRecord next_record(trace::Lines& lines, int rank, int ranks, FileCalls files) {
  trace::RankRecord record = trace::read_rank(lines, rank, ranks);
  for (const trace::Call& call : record.calls) {
    try {
      require_replayable(call, files);
    } catch (const UserMistake& mistake) {
      lines.position().refuse(fmt::format("rank {} {}", rank, mistake.what()));
    }
  }
  return record;
}

template <class Action>
auto as_mistake_in_file(Action action) {
  try {
    return action();
  } catch (const UserMistake& mistake) {
    reject("file", "{}", mistake.what());
  }
}

}  // namespace

void check_trace(const std::string& path, int ranks, FileCalls files, GapTimes times) {
  as_mistake_in_file([&] {
    trace::Lines lines(path);
    trace::read_header(lines, ranks);
    const trace::RankRecord record = next_record(lines, 0, ranks, files);
    if (times != GapTimes::sequence) return;
    try {
      trace::times_in_sequence(record, 1.0);
    } catch (const UserMistake& mistake) {
      throw UserMistake("'{}', rank 0: {}", path, mistake.what());
    }
  });
}

Traffic traffic_of(const std::string& path, int ranks, FileCalls files) {
  return as_mistake_in_file([&] {
    trace::Lines lines(path);
    trace::read_header(lines, ranks);
    Traffic traffic;
    for (int rank = 0; rank < ranks; ++rank) {
      const trace::RankRecord record = next_record(lines, rank, ranks, files);
      try {
        add(record, files, traffic);
      } catch (const WrongValue& wrong) {
        lines.position().refuse(fmt::format("rank {}: {}", rank, wrong.what()));
      }
    }
    trace::read_tail(lines, ranks);
    traffic.compute_s /= ranks;
    return traffic;
  });
}

}  // namespace stressbench::replay
