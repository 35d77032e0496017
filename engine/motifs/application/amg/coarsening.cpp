#include "motifs/application/amg/coarsening.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace stressbench::amg {
namespace {

// A dependence is strong if it exceeds this share of the strongest of its row.
constexpr double strong_share = 0.25;
// A row whose sum exceeds this share of its diagonal has no strong dependence.
constexpr double max_row_sum = 0.9;
// The random numbers of rank r are those of Park and Miller (1988) from this number plus r on (utilities/random.c).
constexpr unsigned int first_seed = 2747;

bool dominated_by_diagonal(double diagonal, double row_sum) {
  return std::abs(row_sum) > max_row_sum * std::abs(diagonal);
}

// The strong dependences of the finest level, in the form of Graph.
struct StrongNeighbours {
  const Stencil& stencil;
  int rows() const { return stencil.rows(); }
  Stencil::Neighbours row(int number) const { return strong_neighbours(stencil, number); }
};

// How many points depend on each point, and a random number below 1 that decides between equal ones.
template <class Dependences>
ByRow<double> importance(const Dependences& dependences, const Partition& partition) {
  ByRow<double> importance(dependences.rows(), 0.0);
  for (int i = 0; i < dependences.rows(); ++i) {
    for (const int j : dependences.row(i)) importance[j] += 1;
  }
  for (std::size_t rank = 0; rank + 1 < partition.size(); ++rank) {
    std::minstd_rand0 random(first_seed + static_cast<unsigned int>(rank));
    for (int i = partition[rank]; i < partition[rank + 1]; ++i) {
      importance[i] += static_cast<double>(random()) / std::minstd_rand0::modulus;
    }
  }
  return importance;
}

// Marks undecided points that are more important than every undecided point with which they share a dependence.
template <class Dependences>
void mark_most_important(Marks& marks, const Dependences& dependences, const ByRow<double>& importance,
                         const std::vector<int>& undecided) {
  for (const int i : undecided) {
    if (importance[i] > 1) marks[i] = Mark::coarse;
  }
  for (const int i : undecided) {
    if (importance[i] <= 1) continue;
    for (const int j : dependences.row(i)) {
      if (importance[j] <= 1) continue;
      if (importance[i] > importance[j]) marks[j] = Mark::undecided;
      if (importance[j] > importance[i]) marks[i] = Mark::undecided;
    }
  }
}

// How points without strong dependences are marked.
enum class Unconnected { isolated, coarse };

template <class Dependences>
Marks independent_set(const Dependences& dependences, const Partition& partition, Unconnected unconnected) {
  ByRow<double> weight = importance(dependences, partition);
  Marks marks(dependences.rows(), Mark::undecided);
  std::vector<int> undecided;
  for (int i = 0; i < dependences.rows(); ++i) {
    if (dependences.row(i).empty()) {
      marks[i] = unconnected == Unconnected::coarse ? Mark::coarse : Mark::isolated;
      weight[i] = 0;
    } else {
      undecided.push_back(i);
    }
  }
  // The second coarsening of the finest level first decides which points are fine.
  for (bool choose = unconnected == Unconnected::isolated; !undecided.empty(); choose = true) {
    if (choose) mark_most_important(marks, dependences, weight, undecided);
    for (const int i : undecided) {
      if (weight[i] < 1) marks[i] = Mark::fine;
      if (marks[i] == Mark::coarse) continue;
      const auto row = dependences.row(i);
      if (std::any_of(row.begin(), row.end(), [&](int j) { return marks[j] == Mark::coarse; })) marks[i] = Mark::fine;
    }
    std::erase_if(undecided, [&](int i) {
      if (marks[i] == Mark::undecided) return false;
      weight[i] = 0;
      return true;
    });
  }
  return marks;
}

// Coarse points that another coarse point depends on, directly or through one other point.
Graph paths_of_two(const StrongNeighbours& dependences, const Marks& marks, const CoarsePoints& points) {
  Graph paths(points.count());
  ByRow<int> seen_by(points.count(), -1);
  std::vector<int> row;
  for (int i = 0; i < dependences.rows(); ++i) {
    if (marks[i] != Mark::coarse) continue;
    const int own = points.number[i];
    seen_by[own] = own;
    row.clear();
    const auto add = [&](int j) {
      if (marks[j] != Mark::coarse || seen_by[points.number[j]] == own) return;
      seen_by[points.number[j]] = own;
      row.push_back(points.number[j]);
    };
    for (const int j : dependences.row(i)) {
      add(j);
      for (const int k : dependences.row(j)) add(k);
    }
    paths.assign(own, row);
  }
  return paths;
}

}  // namespace

CoarsePoints coarse_points(const Marks& marks, const Partition& partition) {
  CoarsePoints points{ByRow<int>(marks.rows(), -1), {0}};
  int count = 0;
  for (std::size_t rank = 0; rank + 1 < partition.size(); ++rank) {
    for (int i = partition[rank]; i < partition[rank + 1]; ++i) {
      if (marks[i] == Mark::coarse) points.number[i] = count++;
    }
    points.partition.push_back(count);
  }
  return points;
}

Stencil::Neighbours strong_neighbours(const Stencil& stencil, int row) {
  const Stencil::Neighbours neighbours = stencil.neighbours(row);
  const double row_sum = stencil.diagonal() + Stencil::neighbour_value * static_cast<double>(neighbours.size());
  return dominated_by_diagonal(stencil.diagonal(), row_sum) ? Stencil::Neighbours{} : neighbours;
}

Graph strong_dependences(const Matrix& matrix) {
  Graph graph(matrix.rows());
  std::vector<int> row;
  for (int i = 0; i < matrix.rows(); ++i) {
    double diagonal = 0;
    double row_sum = 0;
    for (const auto& [column, value] : matrix.row(i)) {
      if (column == i) diagonal = value;
      row_sum += value;
    }
    // Only entries of the other sign than the diagonal are dependences.
    const double sign = diagonal < 0 ? -1 : 1;
    double strongest = 0;
    for (const auto& [column, value] : matrix.row(i)) {
      if (column != i) strongest = std::min(strongest, sign * value);
    }
    row.clear();
    if (!dominated_by_diagonal(diagonal, row_sum)) {
      for (const auto& [column, value] : matrix.row(i)) {
        if (column != i && sign * value < strong_share * strongest) row.push_back(column);
      }
    }
    graph.assign(i, row);
  }
  return graph;
}

Marks coarsen_aggressively(const Stencil& stencil) {
  const StrongNeighbours dependences{stencil};
  Marks marks = independent_set(dependences, stencil.partition(), Unconnected::isolated);
  const CoarsePoints points = coarse_points(marks, stencil.partition());
  const Marks remaining =
      independent_set(paths_of_two(dependences, marks, points), points.partition, Unconnected::coarse);
  for (int i = 0; i < stencil.rows(); ++i) {
    if (marks[i] == Mark::coarse) marks[i] = remaining[points.number[i]];
  }
  return marks;
}

Marks coarsen(const Graph& dependences, const Partition& partition) {
  return independent_set(dependences, partition, Unconnected::isolated);
}

}  // namespace stressbench::amg
