#include "motifs/application/amg/interpolation.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace stressbench::amg {
namespace {

constexpr int max_passes = 9;
constexpr std::size_t max_weights = 8;

void scale(std::vector<Entry>& row, double factor) {
  for (Entry& entry : row) entry.value *= factor;
}

double sum(const std::vector<Entry>& row) {
  double total = 0;
  for (const Entry& entry : row) total += entry.value;
  return total;
}

class Multipass {
 public:
  Multipass(const Stencil& stencil, const Marks& marks, const CoarsePoints& coarse)
      : stencil_(stencil),
        marks_(marks),
        weights_(stencil.rows()),
        pass_of_(stencil.rows(), none),
        row_(coarse.count()) {
    std::vector<int> remaining;
    for (int i = 0; i < stencil.rows(); ++i) {
      if (marks[i] == Mark::coarse) {
        weights_.assign(i, {{coarse.number[i], 1.0}});
        pass_of_[i] = 0;
      } else if (marks[i] == Mark::fine) {
        remaining.push_back(i);
      }
    }
    for (int pass = 1; pass <= max_passes && !remaining.empty(); ++pass) remaining = interpolate(pass, remaining);
  }
  Matrix weights() && { return std::move(weights_); }

 private:
  static constexpr int none = -1;

  // Interpolates the points that depend on a point of the previous pass, and returns the others.
  std::vector<int> interpolate(int pass, const std::vector<int>& points) {
    std::vector<int> others;
    std::vector<int> reached;
    for (const int i : points) {
      const Stencil::Neighbours strong = strong_neighbours(stencil_, i);
      const bool depends = std::any_of(strong.begin(), strong.end(), [&](int j) { return pass_of_[j] == pass - 1; });
      (depends ? reached : others).push_back(i);
    }
    for (const int i : reached) interpolate_point(i, pass);
    for (const int i : reached) pass_of_[i] = pass;
    return others;
  }

  // All neighbours of an interpolated point are strong. The weights of those from the previous pass are scaled up to
  // represent all of them.
  void interpolate_point(int i, int pass) {
    row_.clear();
    double interpolated = 0;
    double all = 0;
    for (const int j : stencil_.neighbours(i)) {
      if (pass_of_[j] == pass - 1) {
        for (const auto& [column, weight] : weights_.row(j)) {
          row_.at(column) += Stencil::neighbour_value * weight;
          interpolated += Stencil::neighbour_value * weight;
          all += Stencil::neighbour_value * weight;
        }
      } else if (marks_[j] != Mark::isolated) {
        all += Stencil::neighbour_value;
      }
    }
    std::vector<Entry> weights = row_.entries();
    scale(weights, -all / (interpolated * stencil_.diagonal()));
    weights_.assign(i, weights);
  }

  const Stencil& stencil_;
  const Marks& marks_;
  Matrix weights_;
  ByRow<int> pass_of_;
  RowSum row_;
};

// Keeps the largest weights, scaled so that their sum stays the same.
void truncate(std::vector<Entry>& row) {
  if (row.size() <= max_weights) return;
  const double before = sum(row);
  std::ranges::stable_sort(row, [](const Entry& a, const Entry& b) { return std::abs(a.value) > std::abs(b.value); });
  row.resize(max_weights);
  const double after = sum(row);
  if (after != 0) scale(row, before / after);
}

class Extended {
 public:
  Extended(const Matrix& matrix, const Graph& dependences, const Marks& marks)
      : matrix_(matrix),
        dependences_(dependences),
        marks_(marks),
        diagonal_(matrix.rows(), 0.0),
        strong_for_(matrix.rows(), none),
        row_(matrix.rows()) {
    for (int i = 0; i < matrix.rows(); ++i) {
      for (const auto& [column, value] : matrix.row(i)) {
        if (column == i) diagonal_[i] = value;
      }
    }
  }

  // The weights of a fine point, by number of the points of this level.
  std::vector<Entry> weights(int i) {
    find_coarse_points(i);
    double diagonal = diagonal_[i];
    for (const auto& [j, value] : matrix_.row(i)) {
      if (j == i) continue;
      if (row_.contains(j)) {
        row_.at(j) += value;
      } else if (strong_for_[j] == i) {
        diagonal += distribute(i, j, value);
      } else if (marks_[j] != Mark::isolated) {
        diagonal += value;
      }
    }
    std::vector<Entry> weights = row_.entries();
    if (diagonal != 0) scale(weights, -1 / diagonal);
    truncate(weights);
    return weights;
  }

 private:
  static constexpr int none = -1;

  void find_coarse_points(int i) {
    row_.clear();
    for (const int j : dependences_.row(i)) {
      if (marks_[j] == Mark::coarse) row_.at(j);
      if (marks_[j] != Mark::fine) continue;
      strong_for_[j] = i;
      for (const int k : dependences_.row(j)) {
        if (marks_[k] == Mark::coarse) row_.at(k);
      }
    }
  }

  // Distributes the dependence of i on the fine point j over the coarse points of both and i itself, whose share is
  // returned. Only entries whose sign is opposite to the diagonal's count.
  double distribute(int i, int j, double value) {
    const auto counts = [&](const Entry& entry) {
      return entry.value * diagonal_[j] < 0 && (entry.column == i || row_.contains(entry.column));
    };
    double total = 0;
    for (const Entry& entry : matrix_.row(j)) total += counts(entry) ? entry.value : 0;
    if (total == 0) return value;
    double own = 0;
    for (const Entry& entry : matrix_.row(j)) {
      if (!counts(entry)) continue;
      (entry.column == i ? own : row_.at(entry.column)) += value / total * entry.value;
    }
    return own;
  }

  const Matrix& matrix_;
  const Graph& dependences_;
  const Marks& marks_;
  ByRow<double> diagonal_;
  ByRow<int> strong_for_;  // the point that depends strongly on this fine point, last
  RowSum row_;
};

}  // namespace

Matrix multipass_interpolation(const Stencil& stencil, const Marks& marks, const CoarsePoints& coarse) {
  return Multipass(stencil, marks, coarse).weights();
}

Matrix extended_interpolation(const Matrix& matrix, const Graph& dependences, const Marks& marks,
                              const CoarsePoints& coarse) {
  Matrix result(matrix.rows());
  Extended extended(matrix, dependences, marks);
  std::vector<Entry> row;
  for (int i = 0; i < matrix.rows(); ++i) {
    row.clear();
    if (marks[i] == Mark::coarse) row.push_back({i, 1.0});
    if (marks[i] == Mark::fine) row = extended.weights(i);
    for (Entry& entry : row) entry.column = coarse.number[entry.column];
    result.assign(i, row);
  }
  return result;
}

}  // namespace stressbench::amg
