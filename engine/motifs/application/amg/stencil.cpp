#include "motifs/application/amg/stencil.hpp"

#include <algorithm>

namespace stressbench::amg {

Stencil::Stencil(const Dims<3>& points, const Dims<3>& ranks, double diagonal)
    : diagonal_(diagonal), points_(points), ranks_(ranks) {
  const int rows_of_rank = points[0] * points[1] * points[2];
  int next_rank = rows_of_rank;
  int next_point = 1;
  for (std::size_t k = 0; k < 3; ++k) {
    for (int at = 0; at < points[k] * ranks[k]; ++at) {
      parts_[k].push_back(at / points[k] * next_rank + at % points[k] * next_point);
    }
    next_rank *= ranks[k];
    next_point *= points[k];
  }
  for (int rank = 0; rank <= ranks.ranks(); ++rank) partition_.push_back(rank * rows_of_rank);
}

Stencil::Neighbours Stencil::neighbours(int row) const {
  std::array<const int*, 3> begin{};
  std::array<const int*, 3> end{};
  int rank = row / partition_[1];
  int point = row % partition_[1];
  for (std::size_t k = 0; k < 3; ++k) {
    const int at = rank % ranks_[k] * points_[k] + point % points_[k];
    rank /= ranks_[k];
    point /= points_[k];
    const int last = static_cast<int>(parts_[k].size()) - 1;
    begin[k] = parts_[k].data() + std::max(at - 1, 0);
    end[k] = parts_[k].data() + std::min(at + 1, last) + 1;
  }
  Neighbours found;
  for (const int* z = begin[2]; z != end[2]; ++z) {
    for (const int* y = begin[1]; y != end[1]; ++y) {
      for (const int* x = begin[0]; x != end[0]; ++x) {
        if (*x + *y + *z != row) found.add(*x + *y + *z);
      }
    }
  }
  return found;
}

}  // namespace stressbench::amg
