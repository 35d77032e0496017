#include "motifs/point_to_point/simultaneous.hpp"

#include <mpi.h>

#include <algorithm>

#include "core/payload.hpp"

namespace stressbench {
namespace {

constexpr int tag = 1;
constexpr std::int64_t most_turns = 1000;  // drawn in advance; a region with more iterations reuses them

}  // namespace

void Simultaneous::decompose(const mpi::Group& group, const Draw& draws) {
  communicator_ = group.handle();
  rank_ = group.rank();
  ranks_ = group.size();
  draws_ = draws;
  draws_.rank = 0;  // the same draws on all ranks
  turns_.assign(1, peers(rank_, ranks_, draws_, 0));
  make_room();
}

void Simultaneous::prepare(std::uint64_t execution) {
  next_ = 0;
  if (!redraws()) return;
  turns_.clear();
  for (std::int64_t i = 0; i < std::min(iterations(), most_turns); ++i) {
    turns_.push_back(peers(rank_, ranks_, draws_, execution + static_cast<std::uint64_t>(i)));
  }
  make_room();
}

void Simultaneous::make_room() {
  std::size_t to = 0;
  std::size_t from = 0;
  for (const Peers& turn : turns_) {
    to = std::max(to, turn.to.size());
    from = std::max(from, turn.from.size());
  }
  if (outgoing_.size() < to * length()) outgoing_ = Buffer(to * length());
  if (incoming_.size() < from * length()) incoming_ = Buffer(from * length());
  in_flight_.assign(to + from, MPI_REQUEST_NULL);
}

void Simultaneous::perform(Recorder&) {
  post();
  wait();
}

void Simultaneous::post() {
  const Peers& turn = turns_[next_];
  next_ = next_ + 1 < turns_.size() ? next_ + 1 : 0;
  const auto count = static_cast<int>(size_->value);
  MPI_Request* request = in_flight_.data();
  for (std::size_t i = 0; i < turn.from.size(); ++i) {
    mpi::check(MPI_Irecv(incoming(i).data(), count, MPI_BYTE, turn.from[i], tag, communicator_, request++),
               "MPI_Irecv");
  }
  for (std::size_t i = 0; i < turn.to.size(); ++i) {
    mpi::check(MPI_Isend(outgoing(i).data(), count, MPI_BYTE, turn.to[i], tag, communicator_, request++), "MPI_Isend");
  }
  posted_ = static_cast<int>(request - in_flight_.data());
}

void Simultaneous::wait() {
  if (posted_ > 0) mpi::check(MPI_Waitall(posted_, in_flight_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
}

void Simultaneous::fill_payload(std::uint64_t pass) {
  stamped_ = next_;
  const Peers& turn = turns_[stamped_];
  for (std::size_t i = 0; i < turn.to.size(); ++i) payload::fill(outgoing(i), {rank_, turn.to[i], pass});
  for (std::size_t i = 0; i < turn.from.size(); ++i) payload::poison(incoming(i), {turn.from[i], rank_, pass});
}

void Simultaneous::verify(std::uint64_t pass) const {
  const Peers& turn = turns_[stamped_];
  for (std::size_t i = 0; i < turn.from.size(); ++i) payload::check(incoming(i), {turn.from[i], rank_, pass});
}

}  // namespace stressbench
