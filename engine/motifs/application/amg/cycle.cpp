#include "motifs/application/amg/cycle.hpp"

#include <utility>

namespace stressbench::amg {

using calls::CallList;
using calls::ElementType;

namespace {

// Computation per point in the reference capture, in nanoseconds: a row of the matrix during the exchange, and the
// vector update after it; interpolation or restriction, per point of the finer level.
constexpr double row_ns = 9.0;
constexpr double relax_ns = 2.5;
constexpr double transfer_ns = 2.2;

// Exchanges on each level: one for each of two relaxations. On the way down, the residual takes a third.
constexpr int exchanges_down = 3;
constexpr int exchanges_up = 2;
constexpr int exchanges_of_coarsest = 1;

std::vector<Exchange> reversed(std::vector<Exchange> exchanges) {
  for (Exchange& exchange : exchanges) std::swap(exchange.sent, exchange.received);
  return exchanges;
}

void add(Traffic& sum, const std::vector<Exchange>& exchanges, std::int64_t times) {
  for (const Exchange& exchange : exchanges) {
    sum.messages += exchange.sent > 0 ? times : 0;
    sum.message_bytes += times * exchange.sent;
  }
}

}  // namespace

NeighbourExchange::NeighbourExchange(CallList& calls, const std::vector<Exchange>& exchanges) {
  int count = 0;
  for (const Exchange& exchange : exchanges) count += (exchange.sent > 0 ? 1 : 0) + (exchange.received > 0 ? 1 : 0);
  requests_ = calls.requests(count);
  int k = 0;
  for (const Exchange& exchange : exchanges) {
    if (exchange.received > 0) calls.persistent_receive(requests_[k++], exchange.peer, 0, exchange.received);
  }
  for (const Exchange& exchange : exchanges) {
    if (exchange.sent > 0) calls.persistent_send(requests_[k++], exchange.peer, 0, exchange.sent);
  }
}

void NeighbourExchange::exchange(CallList& calls, double compute_ns) const {
  if (requests_.count > 0) calls.start_all(requests_);
  calls.compute(compute_ns);
  if (requests_.count > 0) calls.wait_all(requests_);
}

Cycle::Cycle(CallList& calls, const Hierarchy& hierarchy) : gathered_(hierarchy.coarsest()) {
  for (int k = 0; k <= hierarchy.levels(); ++k) {
    const bool coarsest = k == hierarchy.levels();
    const std::vector<Exchange> none;
    const std::vector<Exchange> transfer = coarsest ? none : hierarchy.interpolation(k, calls.rank());
    levels_.push_back(
        {static_cast<double>(hierarchy.points(k, calls.rank())),
         NeighbourExchange(calls, coarsest && !gathered_.empty() ? none : hierarchy.matrix(k, calls.rank())),
         NeighbourExchange(calls, reversed(transfer)), NeighbourExchange(calls, transfer)});
  }
}

void Cycle::multiply(CallList& calls) const { levels_[0].matrix.exchange(calls, row_ns * points()); }

void Cycle::write(CallList& calls) const {
  const auto coarsest = std::prev(levels_.end());
  for (auto level = levels_.begin(); level != coarsest; ++level) {
    relax(calls, *level, exchanges_down);
    level->restriction.exchange(calls, transfer_ns * level->points);
  }
  solve_coarsest(calls);
  for (auto level = coarsest; level != levels_.begin();) {
    --level;
    level->interpolation.exchange(calls, transfer_ns * level->points);
    relax(calls, *level, exchanges_up);
  }
}

void Cycle::relax(CallList& calls, const Level& level, int exchanges) {
  for (int k = 0; k < exchanges; ++k) {
    level.matrix.exchange(calls, row_ns * level.points);
    calls.compute(relax_ns * level.points);
  }
}

// Gathers the coarsest level on the ranks that have a part of it, or relaxes it.
void Cycle::solve_coarsest(CallList& calls) const {
  if (gathered_.empty()) {
    relax(calls, levels_.back(), exchanges_of_coarsest);
    return;
  }
  std::vector<std::int64_t> counts;
  int lower_ranks = 0;
  for (const auto& [rank, bytes] : gathered_) {
    counts.push_back(bytes / 8);
    lower_ranks += rank < calls.rank() ? 1 : 0;
  }
  const bool has_part = gathered_.contains(calls.rank());
  const int size = static_cast<int>(gathered_.size());
  const calls::CommunicatorRef ranks =
      has_part ? calls.split(0, lower_ranks, size) : calls.split(1, calls.rank() - lower_ranks, calls.ranks() - size);
  if (has_part) calls.allgatherv(ranks, ElementType::doubles, counts);
}

Traffic traffic_of_cycle(const Hierarchy& hierarchy, int ranks) {
  const std::map<int, std::int64_t> gathered = hierarchy.coarsest();
  Traffic sum{.collectives = gathered.empty() ? 0 : 1};
  for (const auto& [rank, bytes] : gathered) sum.collective_bytes += bytes;
  const int coarsest = hierarchy.levels();
  double compute_ns = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    const auto points = [&](int level) { return static_cast<double>(hierarchy.points(level, rank)); };
    add(sum, hierarchy.matrix(0, rank), 1);
    compute_ns += row_ns * points(0);
    for (int level = 0; level < coarsest; ++level) {
      const std::vector<Exchange> transfer = hierarchy.interpolation(level, rank);
      add(sum, hierarchy.matrix(level, rank), exchanges_down + exchanges_up);
      add(sum, transfer, 1);
      add(sum, reversed(transfer), 1);
      compute_ns += ((exchanges_down + exchanges_up) * (row_ns + relax_ns) + 2 * transfer_ns) * points(level);
    }
    if (gathered.empty()) {
      add(sum, hierarchy.matrix(coarsest, rank), exchanges_of_coarsest);
      compute_ns += exchanges_of_coarsest * (row_ns + relax_ns) * points(coarsest);
    }
  }
  sum.compute_s = compute_ns / ranks * 1e-9;
  return sum;
}

}  // namespace stressbench::amg
