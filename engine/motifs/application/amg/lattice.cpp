#include "motifs/application/amg/lattice.hpp"

#include <algorithm>
#include <cmath>

namespace stressbench::amg {
namespace {

// Factors by which the points per side decrease from level to level: the aggressive coarsening of the finest level,
// then those that follow.
constexpr double first_coarsening = 3.85;
constexpr double coarsening = 1.75;
constexpr std::int64_t most_on_coarsest = 9;  // hypre's max_coarse_size
constexpr std::int64_t widest_coupling = 2;
// Sizes of the exchanges of the matrix on level 1 and of the interpolation from level 1, relative to layers of a
// regular mesh; fitted to the reference capture.
constexpr double first_matrix_factor = 1.4;
constexpr double first_interpolation_factor = 2.0 / 3.0;

std::int64_t ceil_divided(std::int64_t a, std::int64_t b) { return a / b + (a % b > 0 ? 1 : 0); }

}  // namespace

std::int64_t Lattice::Range::common(const Range& other) const {
  return std::max<std::int64_t>(std::min(end, other.end) - std::max(begin, other.begin), 0);
}

Lattice::Lattice(const Dims<3>& points, const Dims<3>& ranks) : ranks_(ranks) {
  const auto total = [](const std::array<std::int64_t, 3>& sides) { return sides[0] * sides[1] * sides[2]; };
  sides_.push_back({});
  for (std::size_t k = 0; k < 3; ++k) sides_[0][k] = std::int64_t{points[k]} * ranks[k];
  double shrinking = first_coarsening;
  do {
    std::array<std::int64_t, 3> coarser{};
    for (std::size_t k = 0; k < 3; ++k) {
      coarser[k] = std::max<std::int64_t>(std::llround(static_cast<double>(sides_[0][k]) / shrinking), 1);
    }
    sides_.push_back(coarser);
    shrinking *= coarsening;
  } while (total(sides_.back()) > most_on_coarsest);
}

Lattice::Place Lattice::place_of(int rank) const {
  return {rank % ranks_[0], rank / ranks_[0] % ranks_[1], rank / ranks_[0] / ranks_[1]};
}

// A point belongs to the rank with the part of the box that contains the point.
Lattice::Range Lattice::owned(std::size_t dimension, int level, int place) const {
  const std::int64_t all = side(dimension, level);
  const std::int64_t ranks = ranks_[dimension];
  const auto begin = [&](std::int64_t at) { return ceil_divided(2 * at * all - ranks, 2 * ranks); };
  return {begin(place), begin(place + 1)};
}

// Widens a range by the number of layers that a level's points are coupled with, which grows towards coarser levels.
Lattice::Range Lattice::widened(const Range& range, int level) {
  const std::int64_t layers = std::clamp<std::int64_t>(level, 1, widest_coupling);
  return {range.begin - layers, range.end + layers};
}

std::int64_t Lattice::points(int level, int rank) const {
  const Place place = place_of(rank);
  std::int64_t product = 1;
  for (std::size_t k = 0; k < 3; ++k) {
    const Range range = owned(k, level, place[k]);
    product *= range.end - range.begin;
  }
  return product;
}

Lattice::Range Lattice::coupled(std::size_t dimension, int level, int place) const {
  if (owned(dimension, level, place).empty()) return {};
  return widened(owned(dimension, level, place), level);
}

Lattice::Range Lattice::interpolated_from(std::size_t dimension, int level, int place) const {
  if (owned(dimension, level, place).empty()) return {};
  return widened(owned(dimension, level + 1, place), level);
}

template <class Count>
std::vector<Exchange> Lattice::exchanges(int rank, const Place& distance, double factor, Count count) const {
  struct Candidate {
    int place;
    std::int64_t sent;
    std::int64_t received;
  };
  const Place own = place_of(rank);
  std::array<std::vector<Candidate>, 3> candidates;
  for (std::size_t k = 0; k < 3; ++k) {
    const int last = std::min(own[k] + distance[k], ranks_[k] - 1);
    for (int place = std::max(own[k] - distance[k], 0); place <= last; ++place) {
      const Candidate found{place, count(k, own[k], place), count(k, place, own[k])};
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
        const Exchange exchange{x.place + ranks_[0] * (y.place + ranks_[1] * z.place), bytes(x.sent * y.sent * z.sent),
                                bytes(x.received * y.received * z.received)};
        if (exchange.other != rank && (exchange.sent > 0 || exchange.received > 0)) found.push_back(exchange);
      }
    }
  }
  return found;
}

std::vector<Exchange> Lattice::matrix(int level, int rank) const {
  Place distance{};
  for (std::size_t k = 0; k < 3; ++k) {
    distance[k] = 1 + static_cast<int>(widest_coupling * ranks_[k] / side(k, level));
  }
  return exchanges(rank, distance, level == 1 ? first_matrix_factor : 1.0, [&](std::size_t k, int from, int to) {
    return owned(k, level, from).common(coupled(k, level, to));
  });
}

std::vector<Exchange> Lattice::interpolation(int level, int rank) const {
  Place distance{};
  for (std::size_t k = 0; k < 3; ++k)
    distance[k] = 1 + static_cast<int>(widest_coupling * ranks_[k] / side(k, level + 1));
  return exchanges(rank, distance, level == 0 ? first_interpolation_factor : 1.0, [&](std::size_t k, int from, int to) {
    return owned(k, level + 1, from).common(interpolated_from(k, level, to));
  });
}

std::map<int, std::int64_t> Lattice::coarsest() const {
  std::map<int, std::int64_t> bytes;
  const auto place = [&](std::size_t k, std::int64_t index) {
    return static_cast<int>((2 * index + 1) * ranks_[k] / (2 * side(k, levels())));
  };
  for (std::int64_t z = 0; z < side(2, levels()); ++z) {
    for (std::int64_t y = 0; y < side(1, levels()); ++y) {
      for (std::int64_t x = 0; x < side(0, levels()); ++x) {
        bytes[place(0, x) + ranks_[0] * (place(1, y) + ranks_[1] * place(2, z))] += 8;
      }
    }
  }
  return bytes;
}

}  // namespace stressbench::amg
