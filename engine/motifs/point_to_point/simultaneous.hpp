// Patterns whose messages are all in flight at once: every rank posts its receives, then its sends, and waits for all.
// A pattern only defines which rank sends to which.
#pragma once

#include <vector>

#include "core/buffer.hpp"
#include "motifs/listed_calls.hpp"
#include "motifs/motif.hpp"

namespace stressbench {

// The ranks that one rank sends to and receives from in one iteration, one message per entry.
struct Peers {
  std::vector<int> to;
  std::vector<int> from;
};

class Simultaneous : public Motif, public ListedCalls {
 public:
  calls::CallList listed_calls(int rank, int ranks) const override;

  std::optional<Bytes> message_size() const override { return *size_; }
  std::string size_parameter() const override { return "size"; }

  void decompose(const mpi::Group& group, const Draw& draws) override;
  void prepare(std::uint64_t execution) override;
  void perform(Recorder& recorder) override;
  bool is_timed() const override {
    return !peers_by_iteration_.front().to.empty() || !peers_by_iteration_.front().from.empty();
  }
  void fill_payload(std::uint64_t pass) override;
  void verify(std::uint64_t pass) const override;

 protected:
  // The two parts of `perform`: posting all receives and sends of this iteration, and waiting for them.
  void post();
  void wait();
  // Instead of `post`: `start` once, then all messages in groups of `count`, the receive of each before its send.
  void start();
  void post_pairs(std::size_t first, std::size_t count);

  // The peers of `rank` in iteration `iteration` of the run. Random choices that ranks must agree on are drawn from
  // `draws`, which is the same on all ranks.
  virtual Peers peers(int rank, int ranks, const Draw& draws, std::uint64_t iteration) const = 0;
  // Whether the peers of a rank depend on `draws`, and so on the run.
  virtual bool draws_peers() const { return false; }
  // Whether the peers change from iteration to iteration.
  virtual bool peers_change() const { return false; }

  std::int64_t size_bytes() const noexcept { return size_->value; }
  Traffic traffic_of_messages(std::int64_t messages) const {
    return {.messages = messages, .message_bytes = messages * size_->value};
  }
  Param<Bytes> size_{this, 's', "size", Bytes{8}, "length of each message", FitsMessage{}};

 private:
  void resize_buffers();
  void receive(const Peers& iteration_peers, std::size_t i);
  void send(const Peers& iteration_peers, std::size_t i);
  std::span<std::byte> outgoing(std::size_t i) const { return outgoing_.bytes(i * length(), length()); }
  std::span<std::byte> incoming(std::size_t i) const { return incoming_.bytes(i * length(), length()); }
  std::size_t length() const { return static_cast<std::size_t>(size_->value); }

  MPI_Comm communicator_ = MPI_COMM_NULL;
  Draw draws_;
  int rank_ = 0;
  int ranks_ = 0;
  std::vector<Peers> peers_by_iteration_;  // peers in the next iterations; reused from the first after the last
  std::size_t next_iteration_ = 0;
  std::size_t verified_iteration_ = 0;  // the index in `peers_by_iteration_` that `verify` checks
  Buffer outgoing_;
  Buffer incoming_;
  std::vector<MPI_Request> in_flight_;
  std::size_t posted_iteration_ = 0;  // the index in `peers_by_iteration_` of what `start` began
  int posted_ = 0;
};

}  // namespace stressbench
