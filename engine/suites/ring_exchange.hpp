// One iteration of a pattern of b_eff by one of its three methods, with messages that rotate through buffers.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <vector>

#include "core/buffer.hpp"
#include "core/parameter.hpp"
#include "suites/rings.hpp"

namespace stressbench::beff {

enum class Method { sendrecv, alltoallv, nonblocking };

class RingExchange {
 public:
  // Allocates `buffer_bytes` for sending and for receiving, at least two of the longest message each.
  RingExchange(MPI_Comm communicator, int rank, int ranks, std::size_t buffer_bytes);

  // Sets the rings (several: one after the other), message size and method of the following calls of `perform`.
  // Untimed; called by all ranks.
  void set_pattern(std::span<const Neighbours> rings, std::int64_t size_bytes, Method method);
  // Executes the pattern once.
  void perform();
  // Checks two bytes of every message that was received since `set_pattern` and not overwritten since. Throws
  // WrongByte.
  void check() const;
  // Fills send buffers with bytes that depend on sender, offset and pass, and receive buffers with other bytes.
  void fill_payload(std::uint64_t pass);
  // Checks every byte of the messages that `check` considers, for pass `pass`.
  void check_all(std::uint64_t pass) const;

 private:
  std::size_t next_offset() noexcept {  // offset of the next message
    if (offset_ + length_ > outgoing_.size()) offset_ = 0;
    const std::size_t message_offset = offset_;
    offset_ += length_;
    return message_offset;
  }
  void exchange(const Neighbours& ring);
  void sendrecv(const Neighbours& ring);
  void nonblocking(const Neighbours& ring);
  void alltoallv(const Neighbours& ring);
  template <class Visit>  // visit(sender, offset in the buffer)
  void for_each_received(Visit visit) const;
  void check_byte(int sender, std::uint64_t pass, std::size_t message_offset, std::size_t byte_offset) const;

  MPI_Comm communicator_;
  int rank_;
  Buffer outgoing_;
  Buffer incoming_;
  std::uint64_t pass_ = 0;

  std::vector<Neighbours> rings_;
  std::size_t length_ = 1;
  int count_ = 1;
  Method method_ = Method::sendrecv;
  std::size_t offset_ = 0;
  std::size_t first_offset_ = 0;
  std::int64_t iterations_ = 0;

  // Arguments of MPI_Alltoallv, one number per rank: zero except for the neighbours in the ring.
  std::vector<int> counts_, send_offsets_, receive_offsets_;
};

}  // namespace stressbench::beff
