// Counts the MPI objects that a call creates and releases, even while recording is paused. Created by the generated
// wrappers.
#pragma once

#include "mpi_library.hpp"
#include "objects.hpp"
#include "process.hpp"

namespace stressbench::trace {

// Whether `comm` is the communicator to the parent of a spawned program, which this program did not create.
bool is_parent(MPI_Comm comm) noexcept;

struct Envelope {
  std::int64_t types;  // number of constituent datatypes
  bool is_predefined;
};
Envelope envelope_of(MPI_Datatype type) noexcept;

// Whether the program has to release the object: neither a null handle nor a predefined object.
template <Object kind, class Handle>
bool is_object(Handle handle) noexcept {
  if constexpr (kind == Object::request) {
    return handle != MPI_REQUEST_NULL;
  } else if constexpr (kind == Object::communicator) {
    return handle != MPI_COMM_NULL && !is_parent(handle);
  } else if constexpr (kind == Object::datatype) {
    return handle != MPI_DATATYPE_NULL;
  } else if constexpr (kind == Object::group) {
    return handle != MPI_GROUP_NULL && handle != MPI_GROUP_EMPTY;
  } else if constexpr (kind == Object::window) {
    return handle != MPI_WIN_NULL;
  } else if constexpr (kind == Object::file) {
    return handle != MPI_FILE_NULL;
  } else if constexpr (kind == Object::op) {
    return handle != MPI_OP_NULL;
  } else if constexpr (kind == Object::errhandler) {
    return handle != MPI_ERRHANDLER_NULL && handle != MPI_ERRORS_ARE_FATAL && handle != MPI_ERRORS_RETURN;
  } else if constexpr (kind == Object::keyval) {
    return handle != MPI_KEYVAL_INVALID;
  } else {
    return handle != MPI_INFO_NULL;
  }
}
// is_object for a Fortran request, without the conversion to a C handle, since requests are frequent.
inline bool is_fortran_request(MPI_Fint request) noexcept {
  static const MPI_Fint null = PMPI_Request_c2f(MPI_REQUEST_NULL);
  return request != null;
}

// The error argument is optional in Fortran 2008.
inline bool succeeded(int code) noexcept { return code == MPI_SUCCESS; }
inline bool succeeded(const MPI_Fint* ierror) noexcept { return ierror == nullptr || *ierror == MPI_SUCCESS; }

class ObjectCounter {
 public:
  ObjectCounter() noexcept : is_outermost_(depth_++ == 0) {}
  ~ObjectCounter() { --depth_; }
  ObjectCounter(const ObjectCounter&) = delete;
  ObjectCounter& operator=(const ObjectCounter&) = delete;

  // Whether the program made the call, rather than the MPI library within another call.
  bool is_outermost() const noexcept { return is_outermost_; }
  bool is_counting() const noexcept { return is_outermost_ && process().started(); }
  // Number of objects among `count` handles. Evaluated before and after a call, which sets released handles to null.
  template <class IsObject>
  std::int64_t count_objects(std::int64_t count, IsObject is_object) const noexcept {
    std::int64_t held = 0;
    for (int k = 0; is_counting() && k < count; ++k) held += is_object(k) ? 1 : 0;
    return held;
  }
  void add_created(Object kind, int count = 1) const noexcept { process().count(kind, count, 0); }
  void add_released(Object kind, std::int64_t count) const noexcept {
    if (count > 0) process().count(kind, 0, count);
  }

 private:
  static constinit inline thread_local int depth_ = 0;
  bool is_outermost_;
};

// Number of datatypes returned by MPI_Type_get_contents of `type` that the program has to free.
template <class Types>
int derived_types_in(MPI_Datatype type, Types types) noexcept {
  const std::int64_t all = envelope_of(type).types;
  int own = 0;
  for (int k = 0; k < all; ++k) own += envelope_of(types(k)).is_predefined ? 0 : 1;
  return own;
}

}  // namespace stressbench::trace
