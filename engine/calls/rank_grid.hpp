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
  using Coordinates = std::array<int, n>;

  RankGrid(const Dims<n>& dims, int rank) : dims_(dims) {
    for (std::size_t k = 0; k < n; ++k) {
      coordinates_[k] = rank % dims[k];
      rank /= dims[k];
    }
  }

  const Coordinates& coordinates() const noexcept { return coordinates_; }
  int side(std::size_t k) const noexcept { return dims_[k]; }

  // The rank at offset `offset` in each dimension; -1 beyond a closed border.
  int neighbour(const Coordinates& offset, Border border) const noexcept {
    int rank = 0;
    for (std::size_t k = n; k-- > 0;) {
      int at = coordinates_[k] + offset[k];
      if (border == Border::periodic) at = (at % dims_[k] + dims_[k]) % dims_[k];
      if (at < 0 || at >= dims_[k]) return -1;
      rank = rank * dims_[k] + at;
    }
    return rank;
  }
  // The rank at offset `offset` in one dimension.
  int neighbour(std::size_t dimension, int offset, Border border) const noexcept {
    Coordinates step{};
    step[dimension] = offset;
    return neighbour(step, border);
  }

 private:
  Dims<n> dims_;
  Coordinates coordinates_{};
};

}  // namespace stressbench::calls
