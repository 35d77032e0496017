// Sparse matrices and graphs, row by row, for the set-up of an algebraic multigrid.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace stressbench::amg {

// Rows of any length. A row that is not assigned is empty.
template <class T>
class Rows {
 public:
  explicit Rows(int rows) : begin_(static_cast<std::size_t>(rows)), end_(static_cast<std::size_t>(rows)) {}

  int rows() const { return static_cast<int>(begin_.size()); }
  std::span<const T> row(int number) const {
    const auto at = static_cast<std::size_t>(number);
    return {elements_.data() + begin_[at], end_[at] - begin_[at]};
  }
  void assign(int number, const std::vector<T>& elements) {
    const auto at = static_cast<std::size_t>(number);
    begin_[at] = elements_.size();
    elements_.insert(elements_.end(), elements.begin(), elements.end());
    end_[at] = elements_.size();
  }

 private:
  std::vector<std::size_t> begin_;
  std::vector<std::size_t> end_;
  std::vector<T> elements_;
};

struct Entry {
  int column = 0;
  double value = 0;
};
using Matrix = Rows<Entry>;

// Row i: the points on which point i depends strongly.
using Graph = Rows<int>;

// Contiguous rows of each rank: rank r has rows [first[r], first[r + 1]).
using Partition = std::vector<int>;

// One value for each row, by the row's number.
template <class T>
class ByRow {
 public:
  ByRow(int rows, T value) : values_(static_cast<std::size_t>(rows), value) {}
  int rows() const { return static_cast<int>(values_.size()); }
  T& operator[](int row) { return values_[static_cast<std::size_t>(row)]; }
  const T& operator[](int row) const { return values_[static_cast<std::size_t>(row)]; }

 private:
  std::vector<T> values_;
};

// A row under construction, whose entries are found by their column.
class RowSum {
 public:
  explicit RowSum(int columns) : place_(columns, absent) {}

  bool contains(int column) const { return place_[column] != absent; }
  double& at(int column) {
    if (!contains(column)) {
      place_[column] = static_cast<int>(entries_.size());
      entries_.push_back({column, 0.0});
    }
    return entries_[static_cast<std::size_t>(place_[column])].value;
  }
  const std::vector<Entry>& entries() const { return entries_; }
  void clear() {
    for (const Entry& entry : entries_) place_[entry.column] = absent;
    entries_.clear();
  }

 private:
  static constexpr int absent = -1;
  ByRow<int> place_;
  std::vector<Entry> entries_;
};

}  // namespace stressbench::amg
