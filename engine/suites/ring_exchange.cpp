#include "suites/ring_exchange.hpp"

#include <array>

#include "core/payload.hpp"
#include "motifs/motif.hpp"
#include "mpi/group.hpp"

namespace stressbench::beff {
namespace {

constexpr int left_tag = 1, right_tag = 2;
constexpr std::size_t max_rings = 3;  // of a 3-D grid

}  // namespace

RingExchange::RingExchange(MPI_Comm communicator, int rank, int ranks, std::size_t buffer_bytes)
    : communicator_(communicator),
      rank_(rank),
      outgoing_(buffer_bytes),
      incoming_(buffer_bytes),
      counts_(static_cast<std::size_t>(ranks), 0),
      send_offsets_(static_cast<std::size_t>(ranks), 0),
      receive_offsets_(static_cast<std::size_t>(ranks), 0) {
  rings_.reserve(max_rings);
  fill_payload(0);
}

void RingExchange::set_pattern(std::span<const Neighbours> rings, std::int64_t size_bytes, Method method) {
  // Continues after the last messages, at an offset that is the same on all ranks, although some sent fewer.
  const std::size_t sent_bytes = 2 * rings_.size() * static_cast<std::size_t>(iterations_) * length_;
  rings_.assign(rings.begin(), rings.end());
  length_ = static_cast<std::size_t>(size_bytes);
  count_ = static_cast<int>(size_bytes);
  method_ = method;
  first_offset_ = offset_ = (first_offset_ + sent_bytes) % (outgoing_.size() - length_ + 1);
  iterations_ = 0;
}

void RingExchange::perform() {
  for (const Neighbours& ring : rings_) exchange(ring);
  ++iterations_;
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
  const std::size_t first = next_offset();
  mpi::check(MPI_Sendrecv(outgoing_.data() + first, count_, MPI_BYTE, ring.left, left_tag, incoming_.data() + first,
                          count_, MPI_BYTE, ring.right, left_tag, communicator_, MPI_STATUS_IGNORE),
             "MPI_Sendrecv");
  if (ring.length == 2) return;
  const std::size_t second = next_offset();
  mpi::check(MPI_Sendrecv(outgoing_.data() + second, count_, MPI_BYTE, ring.right, right_tag, incoming_.data() + second,
                          count_, MPI_BYTE, ring.left, right_tag, communicator_, MPI_STATUS_IGNORE),
             "MPI_Sendrecv");
}

void RingExchange::nonblocking(const Neighbours& ring) {
  std::array<MPI_Request, 4> requests;
  int posted = 0;
  const auto receive = [&](std::size_t offset, int from, int direction) {
    mpi::check(MPI_Irecv(incoming_.data() + offset, count_, MPI_BYTE, from, direction, communicator_,
                         &requests[static_cast<std::size_t>(posted++)]),
               "MPI_Irecv");
  };
  const auto send = [&](std::size_t offset, int to, int direction) {
    mpi::check(MPI_Isend(outgoing_.data() + offset, count_, MPI_BYTE, to, direction, communicator_,
                         &requests[static_cast<std::size_t>(posted++)]),
               "MPI_Isend");
  };
  const std::size_t first = next_offset();
  const std::size_t second = ring.length == 2 ? first : next_offset();
  receive(first, ring.right, left_tag);
  if (ring.length > 2) receive(second, ring.left, right_tag);
  send(first, ring.left, left_tag);
  if (ring.length > 2) send(second, ring.right, right_tag);
  mpi::check(MPI_Waitall(posted, requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
}

void RingExchange::alltoallv(const Neighbours& ring) {
  const auto left = static_cast<std::size_t>(ring.left), right = static_cast<std::size_t>(ring.right);
  if (ring.length >= 2) {
    const std::size_t first = next_offset();
    const std::size_t second = ring.length == 2 ? first : next_offset();
    counts_[left] = counts_[right] = count_;
    send_offsets_[left] = receive_offsets_[right] = static_cast<int>(first);
    if (ring.length > 2) send_offsets_[right] = receive_offsets_[left] = static_cast<int>(second);
  }
  mpi::check(MPI_Alltoallv(outgoing_.data(), counts_.data(), send_offsets_.data(), MPI_BYTE, incoming_.data(),
                           counts_.data(), receive_offsets_.data(), MPI_BYTE, communicator_),
             "MPI_Alltoallv");
  if (ring.length >= 2) counts_[left] = counts_[right] = 0;  // the next ring may have other neighbours
}

// All ranks rotate in step: a message has the same offset in the receive buffer as in the send buffer of its sender.
// Visits the messages since the buffer last wrapped around, as earlier ones may be overwritten.
template <class Visit>
void RingExchange::for_each_received(Visit visit) const {
  std::int64_t first_valid = 0;  // number of the first message after the last wrap-around
  const auto for_each_message = [&](auto visit_one) {
    std::int64_t number = 0;
    std::size_t offset = first_offset_;
    const auto visit_message = [&](int sender) {
      const bool wrapped = offset + length_ > incoming_.size();
      if (wrapped) offset = 0;
      visit_one(number++, wrapped, sender, offset);
      offset += length_;
    };
    for (std::int64_t i = 0; i < iterations_; ++i) {
      for (const Neighbours& ring : rings_) {
        if (ring.length >= 2) visit_message(ring.right);
        if (ring.length > 2) visit_message(ring.left);
      }
    }
  };
  for_each_message([&](std::int64_t number, bool wrapped, int, std::size_t) {
    if (wrapped) first_valid = number;
  });
  for_each_message([&](std::int64_t number, bool, int sender, std::size_t offset) {
    if (number >= first_valid) visit(sender, offset);
  });
}

void RingExchange::check_byte(int sender, std::uint64_t pass, std::size_t message_offset,
                              std::size_t byte_offset) const {
  const std::byte expected = payload::expected({sender, 0, pass}, message_offset + byte_offset);
  const std::byte found = incoming_.data()[message_offset + byte_offset];
  if (found == expected) return;
  throw WrongByte(sender, rank_, static_cast<std::int64_t>(byte_offset), std::to_integer<int>(expected),
                  std::to_integer<int>(found));
}

void RingExchange::check() const {
  for_each_received([&](int sender, std::size_t offset) {
    check_byte(sender, pass_, offset, 0);
    check_byte(sender, pass_, offset, length_ - 1);
  });
}
void RingExchange::check_all(std::uint64_t pass) const {
  for_each_received([&](int sender, std::size_t offset) {
    for (std::size_t byte = 0; byte < length_; ++byte) check_byte(sender, pass, offset, byte);
  });
}

void RingExchange::fill_payload(std::uint64_t pass) {
  pass_ = pass;
  payload::fill(outgoing_.bytes(), {rank_, 0, pass});
  payload::poison(incoming_.bytes(), {rank_, 0, pass});
}

}  // namespace stressbench::beff
