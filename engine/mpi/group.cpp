#include "mpi/group.hpp"

#include <array>
#include <utility>

namespace stressbench::mpi {

void throw_error(int code, const char* call) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw MachineFault(std::string(call) + ": " + std::string(text.data(), static_cast<std::size_t>(length)));
}

Group::Group(MPI_Comm communicator, bool owned) : communicator_(communicator), owned_(owned) {
  if (communicator_ == MPI_COMM_NULL) return;
  check(MPI_Comm_rank(communicator_, &rank_), "MPI_Comm_rank");
  check(MPI_Comm_size(communicator_, &size_), "MPI_Comm_size");
  if (owned_) check(MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
}

Group Group::adopt(MPI_Comm owned) { return {owned, true}; }
Group Group::view(MPI_Comm borrowed) { return {borrowed, false}; }

Group::Group(Group&& other) noexcept
    : communicator_(std::exchange(other.communicator_, MPI_COMM_NULL)),
      rank_(other.rank_),
      size_(other.size_),
      owned_(std::exchange(other.owned_, false)) {}

Group& Group::operator=(Group&& other) noexcept {
  if (this != &other) {
    release();
    communicator_ = std::exchange(other.communicator_, MPI_COMM_NULL);
    rank_ = other.rank_;
    size_ = other.size_;
    owned_ = std::exchange(other.owned_, false);
  }
  return *this;
}

Group::~Group() { release(); }

void Group::release() noexcept {
  if (owned_ && communicator_ != MPI_COMM_NULL) MPI_Comm_free(&communicator_);
  communicator_ = MPI_COMM_NULL;
}

Group Group::duplicate() const {
  MPI_Comm created = MPI_COMM_NULL;
  check(MPI_Comm_dup(communicator_, &created), "MPI_Comm_dup");
  return adopt(created);
}

Group Group::split(int colour, int key) const {
  MPI_Comm created = MPI_COMM_NULL;
  check(MPI_Comm_split(communicator_, colour, key, &created), "MPI_Comm_split");
  return adopt(created);
}

Group Group::split_shared() const {
  MPI_Comm created = MPI_COMM_NULL;
  check(MPI_Comm_split_type(communicator_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &created),
        "MPI_Comm_split_type");
  return adopt(created);
}

void Group::barrier() const { check(MPI_Barrier(communicator_), "MPI_Barrier"); }

}  // namespace stressbench::mpi
