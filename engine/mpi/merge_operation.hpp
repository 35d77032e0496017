// A reduction of values of any type that has a commutative and associative `merge`.
#pragma once

#include <mpi.h>

#include <type_traits>
#include <vector>

#include "mpi/group.hpp"

namespace stressbench::mpi {

// Owns the operation and the datatype. The values are sent as bytes, so all ranks must run on the same architecture.
template <class T>
class MergeOperation {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  MergeOperation() {
    constexpr int commutes = 1;
    check(MPI_Type_contiguous(static_cast<int>(sizeof(T)), MPI_BYTE, &type_), "MPI_Type_contiguous");
    check(MPI_Type_commit(&type_), "MPI_Type_commit");
    check(MPI_Op_create(&MergeOperation::merge, commutes, &operation_), "MPI_Op_create");
  }
  MergeOperation(const MergeOperation&) = delete;
  MergeOperation& operator=(const MergeOperation&) = delete;
  ~MergeOperation() {
    MPI_Op_free(&operation_);
    MPI_Type_free(&type_);
  }

  // Element by element. The result is on rank 0 of the group.
  std::vector<T> reduce(const std::vector<T>& values, const Group& group) const {
    std::vector<T> merged;
    reduce(values, merged, group, 0);
    return merged;
  }
  // Leaves the result in `merged` on the root. Not in place, since MPICH 4.0 treats MPI_IN_PLACE as an address if the
  // root is not rank 0.
  void reduce(const std::vector<T>& values, std::vector<T>& merged, const Group& group, int root) const {
    merged.resize(values.size());
    check(MPI_Reduce(values.data(), merged.data(), static_cast<int>(values.size()), type_, operation_, root,
                     group.handle()),
          "MPI_Reduce");
  }
  // The result is on every rank of the group.
  std::vector<T> reduce_to_all(const std::vector<T>& values, const Group& group) const {
    std::vector<T> merged(values.size());
    check(
        MPI_Allreduce(values.data(), merged.data(), static_cast<int>(values.size()), type_, operation_, group.handle()),
        "MPI_Allreduce");
    return merged;
  }

 private:
  static void merge(void* in, void* in_out, int* length, MPI_Datatype*) {
    const auto* theirs = static_cast<const T*>(in);
    auto* ours = static_cast<T*>(in_out);
    for (int i = 0; i < *length; ++i) ours[i].merge(theirs[i]);
  }

  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  MPI_Op operation_ = MPI_OP_NULL;
};

}  // namespace stressbench::mpi
