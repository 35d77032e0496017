// One iteration of a pattern of b_eff by one of its three methods, out of and into buffers that rotate.
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
  // Buffers of `buffer_bytes` each way, at least two of the longest message.
  RingExchange(MPI_Comm communicator, int rank, int ranks, std::size_t buffer_bytes);

  // Untimed, by all ranks alike: from now on messages of this size go around these rings (several: along each in turn),
  // by this method.
  void aim(std::span<const Neighbours> rings, std::int64_t size_bytes, Method method);
  // The pattern, once.
  void perform();
  // Two bytes of every message that was received since `aim` and that no later one overwrote; throws WrongByte.
  void check() const;
  // Sent bytes depend on sender, offset and pass; receive buffers are filled with other bytes.
  void fill_payload(std::uint64_t pass);
  // Every byte of the messages that `check` looks at, which are of that pass.
  void check_all(std::uint64_t pass) const;

 private:
  std::size_t turn() noexcept {  // where the next message lies
    if (place_ + length_ > outgoing_.size()) place_ = 0;
    const std::size_t at = place_;
    place_ += length_;
    return at;
  }
  void exchange(const Neighbours& ring);
  void sendrecv(const Neighbours& ring);
  void nonblocking(const Neighbours& ring);
  void alltoallv(const Neighbours& ring);
  template <class Visit>  // (sender, place in the buffer)
  void for_arrivals(Visit visit) const;
  void look(int sender, std::uint64_t pass, std::size_t place, std::size_t offset) const;

  MPI_Comm communicator_;
  int rank_;
  Buffer outgoing_;
  Buffer incoming_;
  std::uint64_t pass_ = 0;

  std::vector<Neighbours> rings_;
  std::size_t length_ = 1;
  int count_ = 1;
  Method method_ = Method::sendrecv;
  std::size_t place_ = 0;
  std::size_t first_place_ = 0;
  std::int64_t performed_ = 0;

  // MPI_Alltoallv's, a number for each rank: all zero but for the neighbours of the ring.
  std::vector<int> counts_, sent_from_, received_at_;
};

}  // namespace stressbench::beff
