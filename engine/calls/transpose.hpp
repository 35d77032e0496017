// Transposes of a distributed matrix, as in parallel Fourier transforms: from blocks of rows to blocks of columns.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "calls/call_list.hpp"
#include "core/grid.hpp"

namespace stressbench {

// `staged`: two pairwise stages, among fewer ranks each; `recursive`: these are in stages again (docs/motifs/fft2d.md).
enum class TransposeCall { pairwise, alltoall, alltoallv, staged, recursive };

namespace calls {

// A dimension of a mesh, cut into one block per rank.
class Blocks {
 public:
  // FFTW's blocks: of equal length, except that the last non-empty one may be shorter and those after it are empty.
  static Blocks equal(std::int64_t cells, int parts) { return {cells, parts, (cells + parts - 1) / parts}; }
  // Blocks whose lengths differ by at most one.
  static Blocks even(std::int64_t cells, int parts) { return {cells, parts, 0}; }

  std::int64_t operator[](int index) const {
    if (length_ == 0) return block_cells(cells_, parts_, index);
    return std::clamp<std::int64_t>(cells_ - index * length_, 0, length_);
  }
  // For FFTW's blocks: the blocks `first` to `first` + `count` - 1 alone; and each `count` successive blocks as one.
  Blocks part(int first, int count) const {
    return {std::clamp<std::int64_t>(cells_ - first * length_, 0, count * length_), count, length_};
  }
  Blocks joined(int count) const { return {cells_, parts_ / count, count * length_}; }

  std::int64_t cells() const { return cells_; }
  int parts() const { return parts_; }
  std::int64_t longest() const { return (*this)[0]; }
  bool all_equal() const { return cells_ % parts_ == 0; }
  int nonempty_count() const {
    return static_cast<int>(length_ == 0 ? std::min<std::int64_t>(cells_, parts_) : (cells_ + length_ - 1) / length_);
  }

 private:
  Blocks(std::int64_t cells, int parts, std::int64_t length) : cells_(cells), parts_(parts), length_(length) {}
  std::int64_t cells_;
  int parts_;
  std::int64_t length_;  // 0: even
};

// The ranks that exchange data: the motif's ranks first, first + stride, ..., and their communicator.
struct TransposeGroup {
  CommunicatorRef comm;
  int first = 0;
  int stride = 1;
  int rank_of(int member) const { return first + member * stride; }
  // `count` members from `member` on, each `step`-th, for pairwise messages: they have no separate communicator.
  TransposeGroup part(int member, int step, int count) const {
    return {{comm.number, (comm.rank - member) / step, count}, rank_of(member), stride * step};
  }
};

// The first of FFTW's two stages is among this number of consecutive ranks, the second among those with the same place
// in such groups: the smallest divisor from the square root on (mpi/transpose-recurse.c, "sqrt"). 0 if there is none.
inline int first_stage_ranks(int ranks) {
  int divisor = 1;
  while ((divisor + 1) * (divisor + 1) <= ranks) ++divisor;
  while (ranks % divisor != 0) ++divisor;
  return divisor > 1 && divisor < ranks ? divisor : 0;
}
inline bool is_in_stages(TransposeCall call) {
  return call == TransposeCall::staged || call == TransposeCall::recursive;
}
// The call of each of both stages.
inline TransposeCall call_of_stage(TransposeCall call) {
  return call == TransposeCall::recursive ? call : TransposeCall::pairwise;
}

// The partners of `own` in a round-robin tournament, one per round, including itself (Schreuder, Math. Prog. Study 13,
// 1980).
inline std::vector<int> tournament(int own, int players) {
  std::vector<int> opponents;
  const int rounds = players % 2 == 0 ? players - 1 : players;
  if (players % 2 == 0) opponents.push_back(own);
  for (int round = 0; round < rounds; ++round) {
    if (players % 2 == 0 && own == rounds) {
      opponents.push_back(round);
    } else {
      const int opponent = static_cast<int>((2LL * round - own + rounds) % rounds);
      opponents.push_back(players % 2 == 0 && opponent == own ? rounds : opponent);
    }
  }
  return opponents;
}

// FFTW's order of the partners. FFTW transposes in place, so the one rank with a shorter block of rows or columns must
// process its partners in ascending or descending order, to avoid overwriting data that it has not sent yet.
inline std::vector<int> fftw_order(int own, int players, const Blocks& rows, const Blocks& columns) {
  std::vector<int> order = tournament(own, players);
  for (int k = 0; k < players; ++k) {
    const std::int64_t height = rows[k] * columns.longest();
    const std::int64_t width = columns[k] * rows.longest();
    if (height == 0 || width == 0 || height == width) continue;
    const std::vector<int> unsorted = order;
    const std::vector<int> partners_of_k = tournament(k, players);
    for (std::size_t round = 0; round < partners_of_k.size(); ++round) {
      const int place = height > width ? partners_of_k[round] : players - 1 - partners_of_k[round];
      order[static_cast<std::size_t>(place)] = unsorted[round];
    }
    return order;
  }
  return order;
}

// Adds a transpose of a matrix of `rows` x `columns` elements to the call list of one member. `element_bytes` is the
// size of an element, `copy_ns` the time to copy one element of a pairwise message.
inline void transpose(CallList& calls, TransposeCall call, const TransposeGroup& group, const Blocks& rows,
                      const Blocks& columns, std::int64_t element_bytes, double copy_ns) {
  const int own = group.comm.rank;
  const auto to = [&](int member) { return element_bytes * rows[own] * columns[member]; };
  const auto from = [&](int member) { return element_bytes * rows[member] * columns[own]; };
  if (call == TransposeCall::alltoall) return calls.alltoall(group.comm, to(0));
  if (call == TransposeCall::alltoallv) {
    std::vector<std::int64_t> bytes_to;
    std::vector<std::int64_t> bytes_from;
    for (int member = 0; member < group.comm.size; ++member) {
      bytes_to.push_back(to(member));
      bytes_from.push_back(from(member));
    }
    return calls.alltoallv(group.comm, bytes_to, bytes_from);
  }
  if (rows.cells() == 0) return;
  const int neighbours = is_in_stages(call) ? first_stage_ranks(group.comm.size) : 0;
  if (neighbours > 0) {
    const int groups = group.comm.size / neighbours;
    const int place = own % neighbours;
    const TransposeCall stage = call_of_stage(call);
    transpose(calls, stage, group.part(own - place, 1, neighbours), rows.part(own - place, neighbours),
              columns.joined(groups), element_bytes, copy_ns);
    return transpose(calls, stage, group.part(place, neighbours, groups), rows.joined(neighbours),
                     columns.part(place * groups, groups), element_bytes, copy_ns);
  }
  const int players = std::max(rows.nonempty_count(), columns.nonempty_count());
  if (own >= players) return;
  const auto tag = [&](int sender, int receiver) {
    return static_cast<int>((static_cast<std::int64_t>(sender) * players + receiver) & 0x7fff);
  };
  for (const int other : fftw_order(own, players, rows, columns)) {
    calls.compute(static_cast<double>(rows[own] * columns[other]) * copy_ns);
    if (other == own) continue;
    calls.sendrecv(group.rank_of(other), tag(own, other), to(other), group.rank_of(other), tag(other, own), from(other),
                   from(other));
  }
}

// Traffic of one transpose, summed over all its members.
inline Traffic transpose_traffic(TransposeCall call, const Blocks& rows, const Blocks& columns,
                                 std::int64_t element_bytes) {
  const std::int64_t all = element_bytes * rows.cells() * columns.cells();
  if (call == TransposeCall::alltoall || call == TransposeCall::alltoallv)
    return {.collectives = 1, .collective_bytes = all};
  if (rows.cells() == 0) return {};
  const int neighbours = is_in_stages(call) ? first_stage_ranks(rows.parts()) : 0;
  if (neighbours > 0) {
    const int groups = rows.parts() / neighbours;
    const TransposeCall stage = call_of_stage(call);
    Traffic sum;
    for (int group = 0; group < groups; ++group) {
      sum.add(
          transpose_traffic(stage, rows.part(group * neighbours, neighbours), columns.joined(groups), element_bytes));
    }
    for (int place = 0; place < neighbours; ++place) {
      sum.add(transpose_traffic(stage, rows.joined(neighbours), columns.part(place * groups, groups), element_bytes));
    }
    return sum;
  }
  const std::int64_t players = std::max(rows.nonempty_count(), columns.nonempty_count());
  std::int64_t own_elements = 0;
  for (int k = 0; k < players; ++k) own_elements += rows[k] * columns[k];
  return {.messages = players * (players - 1), .message_bytes = all - element_bytes * own_elements};
}

// How often a transpose copies a point: once in each pairwise stage.
inline int copies_of(TransposeCall call, int ranks) {
  if (call == TransposeCall::alltoall || call == TransposeCall::alltoallv) return 0;
  const int neighbours = is_in_stages(call) ? first_stage_ranks(ranks) : 0;
  if (neighbours == 0) return 1;
  return copies_of(call_of_stage(call), neighbours) + copies_of(call_of_stage(call), ranks / neighbours);
}

}  // namespace calls
}  // namespace stressbench
