// RAII wrapper of a derived datatype.
#pragma once

#include <mpi.h>

#include <utility>

#include "mpi/group.hpp"

namespace stressbench::mpi {

class Datatype {
 public:
  Datatype() = default;
  // Takes ownership of `created`, the uncommitted result of an MPI_Type_... call, and commits it.
  static Datatype commit(MPI_Datatype created) {
    Datatype owner;
    owner.type_ = created;
    check(MPI_Type_commit(&owner.type_), "MPI_Type_commit");
    return owner;
  }

  Datatype(Datatype&& other) noexcept : type_(std::exchange(other.type_, MPI_DATATYPE_NULL)) {}
  Datatype& operator=(Datatype&& other) noexcept {
    std::swap(type_, other.type_);
    return *this;
  }
  Datatype(const Datatype&) = delete;
  Datatype& operator=(const Datatype&) = delete;
  ~Datatype() {
    if (type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
  }

  MPI_Datatype handle() const noexcept { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

}  // namespace stressbench::mpi
