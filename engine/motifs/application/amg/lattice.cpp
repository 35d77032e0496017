#include "motifs/application/amg/lattice.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace stressbench::amg {
namespace {

// Factors by which the points per side decrease from level to level.
constexpr double aggressive_coarsening = 4.15;  // of the finest level
constexpr double second_coarsening = 1.79;
constexpr double coarsening = 2.0;
// Below this number of points, AMG finds no strong dependences, because the rows are dominated by the boundary of the
// box.
constexpr double max_coarsest_points = 80;
constexpr std::int64_t max_gathered_points = 9;  // hypre's max_coarse_size
constexpr std::int64_t max_coupling_distance = 2;
// Sizes of the exchanges of the matrix on level 1 and of the interpolation from level 1, relative to layers of a
// regular mesh; fitted to the reference capture.
constexpr double first_matrix_factor = 1.4;
constexpr double first_interpolation_factor = 2.0 / 3.0;

std::int64_t ceil_divide(std::int64_t a, std::int64_t b) { return a / b + (a % b > 0 ? 1 : 0); }

}  // namespace

std::int64_t Lattice::Range::overlap(const Range& other) const {
  return std::max<std::int64_t>(std::min(end, other.end) - std::max(begin, other.begin), 0);
}

Lattice::Lattice(const Dims<3>& points, const Dims<3>& ranks) : ranks_(ranks) {
  const auto total = [](const std::array<std::int64_t, 3>& sides) {
    return std::accumulate(sides.begin(), sides.end(), 1.0, std::multiplies<>());  // may exceed 64 bits
  };
  sides_.push_back({});
  for (std::size_t k = 0; k < 3; ++k) sides_[0][k] = std::int64_t{points[k]} * ranks[k];
  double factor = aggressive_coarsening;
  do {
    std::array<std::int64_t, 3> coarser{};
    for (std::size_t k = 0; k < 3; ++k) {
      coarser[k] = std::max<std::int64_t>(std::llround(static_cast<double>(sides_[0][k]) / factor), 1);
    }
    factor *= sides_.size() == 1 ? second_coarsening : coarsening;
    sides_.push_back(coarser);
  } while (total(sides_.back()) > max_coarsest_points);
}

Lattice::Position Lattice::position_of(int rank) const {
  return {rank % ranks_[0], rank / ranks_[0] % ranks_[1], rank / ranks_[0] / ranks_[1]};
}

// A point belongs to the rank with the part of the box that contains the point.
Lattice::Range Lattice::owned(std::size_t dimension, int level, int position) const {
  const std::int64_t all = side(dimension, level);
  const std::int64_t ranks = ranks_[dimension];
  const auto begin = [&](std::int64_t at) { return ceil_divide(2 * at * all - ranks, 2 * ranks); };
  return {begin(position), begin(position + 1)};
}

// Widens a range by the number of layers that a level's points are coupled with, which grows towards coarser levels.
Lattice::Range Lattice::widened(const Range& range, int level) {
  const std::int64_t layers = std::clamp<std::int64_t>(level, 1, max_coupling_distance);
  return {range.begin - layers, range.end + layers};
}

std::int64_t Lattice::points(int level, int rank) const {
  const Position position = position_of(rank);
  std::int64_t product = 1;
  for (std::size_t k = 0; k < 3; ++k) {
    const Range range = owned(k, level, position[k]);
    product *= range.end - range.begin;
  }
  return product;
}

Lattice::Range Lattice::coupled(std::size_t dimension, int level, int position) const {
  if (owned(dimension, level, position).empty()) return {};
  return widened(owned(dimension, level, position), level);
}

Lattice::Range Lattice::interpolated_from(std::size_t dimension, int level, int position) const {
  if (owned(dimension, level, position).empty()) return {};
  return widened(owned(dimension, level + 1, position), level);
}

template <class Count>
std::vector<Exchange> Lattice::exchanges(int rank, const Position& distance, double factor, Count count) const {
  struct Candidate {
    int position;
    std::int64_t sent;
    std::int64_t received;
  };
  const Position own = position_of(rank);
  std::array<std::vector<Candidate>, 3> candidates;
  for (std::size_t k = 0; k < 3; ++k) {
    const int last = std::min(own[k] + distance[k], ranks_[k] - 1);
    for (int position = std::max(own[k] - distance[k], 0); position <= last; ++position) {
      const Candidate found{position, count(k, own[k], position), count(k, position, own[k])};
      if (found.sent > 0 || found.received > 0) candidates[k].push_back(found);
    }
  }
  const auto bytes = [&](std::int64_t points) {
    return points == 0 ? 0 : 8 * std::max<std::int64_t>(std::llround(factor * static_cast<double>(points)), 1);
  };
  std::vector<Exchange> found;
  for (const Candidate& z : candidates[2]) {
    for (const Candidate& y : candidates[1]) {
      for (const Candidate& x : candidates[0]) {
        const Exchange exchange{x.position + ranks_[0] * (y.position + ranks_[1] * z.position),
                                bytes(x.sent * y.sent * z.sent), bytes(x.received * y.received * z.received)};
        if (exchange.peer != rank && (exchange.sent > 0 || exchange.received > 0)) found.push_back(exchange);
      }
    }
  }
  return found;
}

std::vector<Exchange> Lattice::matrix(int level, int rank) const {
  Position distance{};
  for (std::size_t k = 0; k < 3; ++k) {
    distance[k] = 1 + static_cast<int>(max_coupling_distance * ranks_[k] / side(k, level));
  }
  return exchanges(rank, distance, level == 1 ? first_matrix_factor : 1.0, [&](std::size_t k, int from, int to) {
    return owned(k, level, from).overlap(coupled(k, level, to));
  });
}

std::vector<Exchange> Lattice::interpolation(int level, int rank) const {
  Position distance{};
  for (std::size_t k = 0; k < 3; ++k)
    distance[k] = 1 + static_cast<int>(max_coupling_distance * ranks_[k] / side(k, level + 1));
  return exchanges(rank, distance, level == 0 ? first_interpolation_factor : 1.0, [&](std::size_t k, int from, int to) {
    return owned(k, level + 1, from).overlap(interpolated_from(k, level, to));
  });
}

std::map<int, std::int64_t> Lattice::coarsest() const {
  std::map<int, std::int64_t> bytes;
  if (side(0, levels()) * side(1, levels()) * side(2, levels()) > max_gathered_points) return bytes;
  const auto position = [&](std::size_t k, std::int64_t index) {
    return static_cast<int>((2 * index + 1) * ranks_[k] / (2 * side(k, levels())));
  };
  for (std::int64_t z = 0; z < side(2, levels()); ++z) {
    for (std::int64_t y = 0; y < side(1, levels()); ++y) {
      for (std::int64_t x = 0; x < side(0, levels()); ++x) {
        bytes[position(0, x) + ranks_[0] * (position(1, y) + ranks_[1] * position(2, z))] += 8;
      }
    }
  }
  return bytes;
}

}  // namespace stressbench::amg
