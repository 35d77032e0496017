#include "suites/ring_exchange.hpp"

#include <array>

#include "core/payload.hpp"
#include "motifs/motif.hpp"
#include "mpi/group.hpp"

namespace stressbench::beff {
namespace {

constexpr int leftwards = 1, rightwards = 2;
constexpr std::size_t most_rings = 3;  // of a 3-D grid

}  // namespace

RingExchange::RingExchange(MPI_Comm communicator, int rank, int ranks, std::size_t buffer_bytes)
    : communicator_(communicator),
      rank_(rank),
      outgoing_(buffer_bytes),
      incoming_(buffer_bytes),
      counts_(static_cast<std::size_t>(ranks), 0),
      sent_from_(static_cast<std::size_t>(ranks), 0),
      received_at_(static_cast<std::size_t>(ranks), 0) {
  rings_.reserve(most_rings);
  fill_payload(0);
}

void RingExchange::aim(std::span<const Neighbours> rings, std::int64_t size_bytes, Method method) {
  // Continues after the last messages, at an offset that is the same on all ranks, although some sent fewer.
  const std::size_t sent = 2 * rings_.size() * static_cast<std::size_t>(performed_) * length_;
  rings_.assign(rings.begin(), rings.end());
  length_ = static_cast<std::size_t>(size_bytes);
  count_ = static_cast<int>(size_bytes);
  method_ = method;
  first_place_ = place_ = (first_place_ + sent) % (outgoing_.size() - length_ + 1);
  performed_ = 0;
}

void RingExchange::perform() {
  for (const Neighbours& ring : rings_) exchange(ring);
  ++performed_;
}

void RingExchange::exchange(const Neighbours& ring) {
  if (method_ == Method::alltoallv) return alltoallv(ring);  // collective: ranks without neighbours take part as well
  if (ring.length < 2) return;
  if (method_ == Method::sendrecv) return sendrecv(ring);
  nonblocking(ring);
}

// Sends to the left neighbour and receives from the right, then the reverse. In a ring of two, both neighbours are the
// same rank, and there is only the first exchange.
void RingExchange::sendrecv(const Neighbours& ring) {
  const std::size_t first = turn();
  mpi::check(MPI_Sendrecv(outgoing_.data() + first, count_, MPI_BYTE, ring.left, leftwards, incoming_.data() + first,
                          count_, MPI_BYTE, ring.right, leftwards, communicator_, MPI_STATUS_IGNORE),
             "MPI_Sendrecv");
  if (ring.length == 2) return;
  const std::size_t second = turn();
  mpi::check(
      MPI_Sendrecv(outgoing_.data() + second, count_, MPI_BYTE, ring.right, rightwards, incoming_.data() + second,
                   count_, MPI_BYTE, ring.left, rightwards, communicator_, MPI_STATUS_IGNORE),
      "MPI_Sendrecv");
}

void RingExchange::nonblocking(const Neighbours& ring) {
  std::array<MPI_Request, 4> requests;
  int posted = 0;
  const auto receive = [&](std::size_t place, int from, int direction) {
    mpi::check(MPI_Irecv(incoming_.data() + place, count_, MPI_BYTE, from, direction, communicator_,
                         &requests[static_cast<std::size_t>(posted++)]),
               "MPI_Irecv");
  };
  const auto send = [&](std::size_t place, int to, int direction) {
    mpi::check(MPI_Isend(outgoing_.data() + place, count_, MPI_BYTE, to, direction, communicator_,
                         &requests[static_cast<std::size_t>(posted++)]),
               "MPI_Isend");
  };
  const std::size_t first = turn();
  const std::size_t second = ring.length == 2 ? first : turn();
  receive(first, ring.right, leftwards);
  if (ring.length > 2) receive(second, ring.left, rightwards);
  send(first, ring.left, leftwards);
  if (ring.length > 2) send(second, ring.right, rightwards);
  mpi::check(MPI_Waitall(posted, requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
}

void RingExchange::alltoallv(const Neighbours& ring) {
  const auto left = static_cast<std::size_t>(ring.left), right = static_cast<std::size_t>(ring.right);
  if (ring.length >= 2) {
    const std::size_t first = turn();
    const std::size_t second = ring.length == 2 ? first : turn();
    counts_[left] = counts_[right] = count_;
    sent_from_[left] = received_at_[right] = static_cast<int>(first);
    if (ring.length > 2) sent_from_[right] = received_at_[left] = static_cast<int>(second);
  }
  mpi::check(MPI_Alltoallv(outgoing_.data(), counts_.data(), sent_from_.data(), MPI_BYTE, incoming_.data(),
                           counts_.data(), received_at_.data(), MPI_BYTE, communicator_),
             "MPI_Alltoallv");
  if (ring.length >= 2) counts_[left] = counts_[right] = 0;  // the next ring may have other neighbours
}

// All ranks rotate in step: a message has the same offset in the receive buffer as in the send buffer of its sender.
// Visits the messages since the buffer last wrapped around, as earlier ones may be overwritten.
template <class Visit>
void RingExchange::for_arrivals(Visit visit) const {
  std::int64_t fresh = 0;  // number of the first message after the last wrap-around
  const auto walk = [&](auto each) {
    std::int64_t number = 0;
    std::size_t place = first_place_;
    const auto arrive = [&](int sender) {
      const bool ended = place + length_ > incoming_.size();
      if (ended) place = 0;
      each(number++, ended, sender, place);
      place += length_;
    };
    for (std::int64_t i = 0; i < performed_; ++i) {
      for (const Neighbours& ring : rings_) {
        if (ring.length >= 2) arrive(ring.right);
        if (ring.length > 2) arrive(ring.left);
      }
    }
  };
  walk([&](std::int64_t number, bool ended, int, std::size_t) {
    if (ended) fresh = number;
  });
  walk([&](std::int64_t number, bool, int sender, std::size_t place) {
    if (number >= fresh) visit(sender, place);
  });
}

void RingExchange::look(int sender, std::uint64_t pass, std::size_t place, std::size_t offset) const {
  const std::byte expected = payload::expected({sender, 0, pass}, place + offset);
  const std::byte found = incoming_.data()[place + offset];
  if (found == expected) return;
  throw WrongByte(sender, rank_, static_cast<std::int64_t>(offset), std::to_integer<int>(expected),
                  std::to_integer<int>(found));
}

void RingExchange::check() const {
  for_arrivals([&](int sender, std::size_t place) {
    look(sender, pass_, place, 0);
    look(sender, pass_, place, length_ - 1);
  });
}
void RingExchange::check_all(std::uint64_t pass) const {
  for_arrivals([&](int sender, std::size_t place) {
    for (std::size_t offset = 0; offset < length_; ++offset) look(sender, pass, place, offset);
  });
}

void RingExchange::fill_payload(std::uint64_t pass) {
  pass_ = pass;
  payload::fill(outgoing_.bytes(), {rank_, 0, pass});
  payload::poison(incoming_.bytes(), {rank_, 0, pass});
}

}  // namespace stressbench::beff
