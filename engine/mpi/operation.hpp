// A reduction that is not one of MPI's own: the value that is largest without its sign.
#pragma once

#include <mpi.h>

#include <cmath>
#include <utility>

#include "mpi/group.hpp"

namespace stressbench::mpi {

// Owns the operation. It is for shorts, ints, floats and doubles.
class LargestMagnitude {
 public:
  LargestMagnitude() = default;
  static LargestMagnitude create() {
    LargestMagnitude owner;
    constexpr int commutes = 1;
    check(MPI_Op_create(&LargestMagnitude::merge, commutes, &owner.operation_), "MPI_Op_create");
    return owner;
  }

  LargestMagnitude(LargestMagnitude&& other) noexcept : operation_(std::exchange(other.operation_, MPI_OP_NULL)) {}
  LargestMagnitude& operator=(LargestMagnitude&& other) noexcept {
    std::swap(operation_, other.operation_);
    return *this;
  }
  LargestMagnitude(const LargestMagnitude&) = delete;
  LargestMagnitude& operator=(const LargestMagnitude&) = delete;
  ~LargestMagnitude() {
    if (operation_ != MPI_OP_NULL) MPI_Op_free(&operation_);
  }

  MPI_Op handle() const noexcept { return operation_; }

 private:
  static void merge(void* in, void* in_out, int* count, MPI_Datatype* type) {
    if (*type == MPI_DOUBLE) {
      merge_values<double>(in, in_out, *count);
    } else if (*type == MPI_FLOAT) {
      merge_values<float>(in, in_out, *count);
    } else if (*type == MPI_INT) {
      merge_values<int>(in, in_out, *count);
    } else {
      merge_values<short>(in, in_out, *count);
    }
  }
  template <class T>
  static void merge_values(const void* in, void* in_out, int count) noexcept {
    const T* const other = static_cast<const T*>(in);
    T* const own = static_cast<T*>(in_out);
    for (int k = 0; k < count; ++k) {
      if (std::abs(other[k]) > std::abs(own[k])) own[k] = other[k];
    }
  }

  MPI_Op operation_ = MPI_OP_NULL;
};

}  // namespace stressbench::mpi
