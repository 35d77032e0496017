// Ranks in an n-dimensional grid whose first dimension varies fastest.
#pragma once

#include <array>
#include <cstddef>

#include "core/grid.hpp"

namespace stressbench::calls {

enum class Border { closed, periodic };

template <std::size_t n>
class RankGrid {
 public:
  using Place = std::array<int, n>;

  RankGrid(const Dims<n>& dims, int rank) : dims_(dims) {
    for (std::size_t k = 0; k < n; ++k) {
      place_[k] = rank % dims[k];
      rank /= dims[k];
    }
  }

  const Place& place() const noexcept { return place_; }
  int side(std::size_t k) const noexcept { return dims_[k]; }

  // The rank at offset `away` in each dimension; -1 beyond a closed border.
  int neighbour(const Place& away, Border border) const noexcept {
    int rank = 0;
    for (std::size_t k = n; k-- > 0;) {
      int at = place_[k] + away[k];
      if (border == Border::periodic) at = (at % dims_[k] + dims_[k]) % dims_[k];
      if (at < 0 || at >= dims_[k]) return -1;
      rank = rank * dims_[k] + at;
    }
    return rank;
  }
  // The rank at offset `away` in one dimension.
  int neighbour(std::size_t dimension, int away, Border border) const noexcept {
    Place step{};
    step[dimension] = away;
    return neighbour(step, border);
  }

 private:
  Dims<n> dims_;
  Place place_{};
};

}  // namespace stressbench::calls
