// The ranks that run one motif, with a communicator that nothing else uses.
#pragma once

#include <mpi.h>

#include "core/error.hpp"

namespace stressbench::mpi {

// Throws MachineFault with MPI's error string. Communicators return errors (MPI_ERRORS_RETURN), so that faults can be
// reported.
[[noreturn]] void throw_error(int code, const char* call);
inline void check(int code, const char* call) {
  if (code != MPI_SUCCESS) [[unlikely]]
    throw_error(code, call);
}

// Owns a communicator, or refers to one that is owned elsewhere. Movable, not copyable.
class Group {
 public:
  Group() = default;
  // Takes ownership of `owned`; the destructor frees it.
  static Group adopt(MPI_Comm owned);
  // Refers to a communicator that outlives this object (MPI_COMM_WORLD).
  static Group view(MPI_Comm borrowed);

  Group(Group&& other) noexcept;
  Group& operator=(Group&& other) noexcept;
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  ~Group();

  MPI_Comm handle() const noexcept { return communicator_; }
  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }
  explicit operator bool() const noexcept { return communicator_ != MPI_COMM_NULL; }

  // Collective. The same ranks with a new communicator.
  Group duplicate() const;
  // Collective. Ranks of the same colour, ordered by key then rank; an empty Group if colour is MPI_UNDEFINED.
  Group split(int colour, int key) const;
  // Collective. Ranks that share memory.
  Group split_shared() const;
  void barrier() const;

 private:
  Group(MPI_Comm communicator, bool owned);
  void release() noexcept;

  MPI_Comm communicator_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 0;
  bool owned_ = false;
};

}  // namespace stressbench::mpi
