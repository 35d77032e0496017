#include "motifs/point_to_point/simultaneous.hpp"

#include <mpi.h>

#include <algorithm>

#include "core/payload.hpp"

namespace stressbench {
namespace {

constexpr int tag = 1;
constexpr std::int64_t max_drawn_iterations = 1000;  // drawn in advance; a region with more iterations reuses them

}  // namespace

calls::CallList Simultaneous::listed_calls(int rank, int ranks) const {
  if (draws_peers()) reject("", "its peers are drawn in a run");
  const Peers own = peers(rank, ranks, {}, 0);
  calls::CallList list(rank, ranks);
  const calls::Requests requests = list.requests(static_cast<int>(own.from.size() + own.to.size()));
  int next = 0;
  for (const int from : own.from) list.irecv(requests[next++], from, tag, size_->value);
  for (const int to : own.to) list.isend(requests[next++], to, tag, size_->value);
  if (next > 0) list.wait_all(requests);
  return list;
}

void Simultaneous::decompose(const mpi::Group& group, const Draw& draws) {
  communicator_ = group.handle();
  rank_ = group.rank();
  ranks_ = group.size();
  draws_ = draws;
  draws_.rank = 0;  // the same draws on all ranks
  peers_by_iteration_.assign(1, peers(rank_, ranks_, draws_, 0));
  resize_buffers();
}

void Simultaneous::prepare(std::uint64_t execution) {
  next_iteration_ = 0;
  if (!peers_change()) return;
  peers_by_iteration_.clear();
  for (std::int64_t i = 0; i < std::min(iterations(), max_drawn_iterations); ++i) {
    peers_by_iteration_.push_back(peers(rank_, ranks_, draws_, execution + static_cast<std::uint64_t>(i)));
  }
  resize_buffers();
}

void Simultaneous::resize_buffers() {
  std::size_t to = 0;
  std::size_t from = 0;
  for (const Peers& iteration_peers : peers_by_iteration_) {
    to = std::max(to, iteration_peers.to.size());
    from = std::max(from, iteration_peers.from.size());
  }
  if (outgoing_.size() < to * length()) outgoing_ = Buffer(to * length());
  if (incoming_.size() < from * length()) incoming_ = Buffer(from * length());
  in_flight_.assign(to + from, MPI_REQUEST_NULL);
}

void Simultaneous::perform(Recorder&) {
  post();
  wait();
}

void Simultaneous::start() {
  posted_iteration_ = next_iteration_;
  next_iteration_ = next_iteration_ + 1 < peers_by_iteration_.size() ? next_iteration_ + 1 : 0;
  posted_ = 0;
}

void Simultaneous::post() {
  start();
  const Peers& iteration_peers = peers_by_iteration_[posted_iteration_];
  for (std::size_t i = 0; i < iteration_peers.from.size(); ++i) receive(iteration_peers, i);
  for (std::size_t i = 0; i < iteration_peers.to.size(); ++i) send(iteration_peers, i);
}

void Simultaneous::post_pairs(std::size_t first, std::size_t count) {
  const Peers& iteration_peers = peers_by_iteration_[posted_iteration_];
  for (std::size_t i = first; i < first + count; ++i) {
    receive(iteration_peers, i);
    send(iteration_peers, i);
  }
}

void Simultaneous::receive(const Peers& iteration_peers, std::size_t i) {
  mpi::check(MPI_Irecv(incoming(i).data(), static_cast<int>(size_->value), MPI_BYTE, iteration_peers.from[i], tag,
                       communicator_, &in_flight_[static_cast<std::size_t>(posted_++)]),
             "MPI_Irecv");
}

void Simultaneous::send(const Peers& iteration_peers, std::size_t i) {
  mpi::check(MPI_Isend(outgoing(i).data(), static_cast<int>(size_->value), MPI_BYTE, iteration_peers.to[i], tag,
                       communicator_, &in_flight_[static_cast<std::size_t>(posted_++)]),
             "MPI_Isend");
}

void Simultaneous::wait() {
  if (posted_ > 0) mpi::check(MPI_Waitall(posted_, in_flight_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
}

void Simultaneous::fill_payload(std::uint64_t pass) {
  verified_iteration_ = next_iteration_;
  const Peers& iteration_peers = peers_by_iteration_[verified_iteration_];
  for (std::size_t i = 0; i < iteration_peers.to.size(); ++i)
    payload::fill(outgoing(i), {rank_, iteration_peers.to[i], pass});
  for (std::size_t i = 0; i < iteration_peers.from.size(); ++i)
    payload::poison(incoming(i), {iteration_peers.from[i], rank_, pass});
}

void Simultaneous::verify(std::uint64_t pass) const {
  const Peers& iteration_peers = peers_by_iteration_[verified_iteration_];
  for (std::size_t i = 0; i < iteration_peers.from.size(); ++i)
    payload::check(incoming(i), {iteration_peers.from[i], rank_, pass});
}

}  // namespace stressbench
