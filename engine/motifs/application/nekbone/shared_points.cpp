#include "motifs/application/nekbone/shared_points.hpp"

#include <utility>
#include <vector>

namespace stressbench::nekbone {
namespace {

using calls::CallList;
using calls::Requests;

// Computation per point of a rank's brick in a capture, in nanoseconds relative to the matrix product: before its
// points are sent, and before those that it looks after are counted.
constexpr double own_points_ns = 59;
constexpr double looked_after_ns = 17;

constexpr std::int64_t long_bytes = 8;
constexpr std::int64_t header_ints = 3;  // of all records of one rank for another
constexpr std::int64_t point_ints = 3;   // its number and where it is
constexpr std::int64_t sharer_ints = 7;  // number and ordinal of a point, the other rank, and the places in both

std::int64_t with_header(std::int64_t records, std::int64_t ints) {
  return records == 0 ? 0 : header_ints + records * ints;
}

// The points of the bricks by their global numbers.
class Points {
 public:
  explicit Points(const Bricks& bricks) : bricks_(bricks), ranks_(static_cast<int>(bricks.ranks.ranks())) {}

  // Adds all records about points of each rank for those that look after them.
  void add_points(CrystalRouter& router) const {
    for (int rank = 0; rank < ranks_; ++rank) {
      std::vector<std::int64_t> ints = points_looked_after(rank);
      for (std::int64_t& one : ints) one = with_header(one, point_ints);
      router.add_from(rank, ints);
    }
  }
  // Adds all records about shared points of each rank from those that look after them.
  void add_sharers(CrystalRouter& router) const {
    for (int rank = 0; rank < ranks_; ++rank) {
      std::vector<std::int64_t> ints(static_cast<std::size_t>(ranks_));
      for_each_shared(
          rank, [&](std::int64_t number, int others) { ints[static_cast<std::size_t>(number % ranks_)] += others; });
      for (std::int64_t& one : ints) one = with_header(one, sharer_ints);
      router.add_to(rank, std::move(ints));
    }
  }

 private:
  // The brick of a rank along one axis: its first point, whether other bricks have its first and its last one.
  struct Extent {
    std::int64_t begin;
    bool has_lower;
    bool has_upper;
    std::int64_t intervals;

    int bricks_with(std::int64_t point) const {
      return (point == 0 && has_lower ? 2 : 1) * (point == intervals && has_upper ? 2 : 1);
    }
  };

  std::array<Extent, 3> extents_of(int rank) const {
    std::array<Extent, 3> extents{};
    for (std::size_t k = 0; k < 3; ++k) {
      const int at = rank % bricks_.ranks[k];
      rank /= bricks_.ranks[k];
      extents[k] = {at * bricks_.intervals[k], at > 0, at + 1 < bricks_.ranks[k], bricks_.intervals[k]};
    }
    return extents;
  }
  // Numbers begin with 1, x varies fastest.
  std::int64_t number(std::int64_t x, std::int64_t y, std::int64_t z) const {
    const auto along = [&](std::size_t k) { return bricks_.ranks[k] * bricks_.intervals[k] + 1; };
    return 1 + x + along(0) * (y + along(1) * z);
  }

  // By rank, how many points of `rank` it looks after. Numbers in a row of points follow one another.
  std::vector<std::int64_t> points_looked_after(int rank) const {
    const std::array<Extent, 3> extents = extents_of(rank);
    const std::int64_t row = extents[0].intervals + 1;
    std::vector<std::int64_t> change(static_cast<std::size_t>(ranks_) + 1);  // from one rank to the next
    for (std::int64_t z = 0; z <= extents[2].intervals; ++z) {
      for (std::int64_t y = 0; y <= extents[1].intervals; ++y) {
        const std::int64_t first = number(extents[0].begin, extents[1].begin + y, extents[2].begin + z) % ranks_;
        const std::int64_t end = first + row % ranks_;
        change[0] += row / ranks_ + (end > ranks_ ? 1 : 0);
        ++change[static_cast<std::size_t>(first)];
        --change[static_cast<std::size_t>(end > ranks_ ? end - ranks_ : end)];
      }
    }
    std::int64_t points = 0;
    for (std::int64_t& one : change) one = points += one;
    change.pop_back();
    return change;
  }

  // Calls visit(number, other ranks) for each point of a rank that others have as well.
  template <class Visit>
  void for_each_shared(int rank, Visit visit) const {
    const auto [x, y, z] = extents_of(rank);
    for (std::int64_t k = 0; k <= z.intervals; ++k) {
      for (std::int64_t j = 0; j <= y.intervals; ++j) {
        const int bricks = y.bricks_with(j) * z.bricks_with(k);
        const std::int64_t step = bricks > 1 ? 1 : x.intervals;  // in other rows, only the ends may be shared
        for (std::int64_t i = 0; i <= x.intervals; i += step) {
          const int all = bricks * x.bricks_with(i);
          if (all > 1) visit(number(x.begin + i, y.begin + j, z.begin + k), all - 1);
        }
      }
    }
  }

  Bricks bricks_;
  int ranks_;
};

// The sum of a number over all ranks, and over those before each: up a binary tree of ranks, whose nodes are the first
// ranks of both halves, and down again.
void scan(CallList& calls) {
  struct Node {
    int lower;
    int upper;
  };
  std::vector<Node> path;  // from the root to this rank
  int first = 0;
  for (int count = calls.ranks(); count > 1;) {
    const int half = count / 2;
    path.push_back({first, first + half});
    const bool is_lower = calls.rank() < first + half;
    first += is_lower ? 0 : half;
    count = is_lower ? half : count - half;
  }
  auto node = path.size();
  for (bool is_lower = true; is_lower && node > 0;) {
    const auto [lower, upper] = path[--node];
    is_lower = calls.rank() == lower;
    const int other = is_lower ? upper : lower;
    const Requests requests = calls.requests(2);
    calls.irecv(requests[0], other, other, long_bytes);
    calls.isend(requests[1], other, calls.rank(), long_bytes);
    calls.wait_all(requests);
  }
  for (; node < path.size(); ++node) {
    const auto [lower, upper] = path[node];
    if (calls.rank() == lower) {
      calls.send(upper, lower, 2 * long_bytes);
    } else {
      calls.receive(lower, lower, 2 * long_bytes);
    }
  }
}

}  // namespace

SharedPoints::SharedPoints(const Bricks& bricks)
    : bricks_(bricks),
      points_(static_cast<int>(bricks.ranks.ranks())),
      sharers_(static_cast<int>(bricks.ranks.ranks())) {
  const Points points(bricks);
  points.add_points(points_);
  points.add_sharers(sharers_);
}

void SharedPoints::find(CallList& calls) const {
  double own = 1;
  for (const std::int64_t intervals : bricks_.intervals) own *= static_cast<double>(intervals + 1);
  calls.compute(own_points_ns * own);
  points_.write(calls);
  calls.compute(looked_after_ns * own);
  scan(calls);
  sharers_.write(calls);
}

}  // namespace stressbench::nekbone
