// incast: N ranks send to one, or each of them to several, like the output of a job to an I/O node (StressBench III-A,
// V; docs/motifs/incast.md).
#include <mpi.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/buffer.hpp"
#include "core/payload.hpp"
#include "motifs/listed_calls.hpp"
#include "motifs/motif.hpp"

namespace stressbench {

enum class IncastCall { send, gather, gatherv };

namespace {

constexpr int tag = 1;

class Incast final : public Motif, public ListedCalls {
 public:
  void check(int ranks) const override {
    if (ranks < 2) reject("", "incast needs 2 ranks or more, but the job has {}", ranks);
    if (*root_option_ >= ranks) reject("root", "{}, but the job's ranks are 0 to {}", *root_option_, ranks - 1);
    if (*roots_option_ >= ranks)
      reject("roots", "{} of {} ranks leave no sender; at most {}", *roots_option_, ranks, ranks - 1);
    if (*roots_option_ > 1 && *call_ != IncastCall::send) reject("roots", "a gather has one root; use --call send");
    if (*senders_option_ > ranks - *roots_option_) {
      reject("senders", "{}, but apart from the root{} the job has {} ranks", *senders_option_,
             *roots_option_ == 1 ? "" : "s", ranks - *roots_option_);
    }
    if (*spread_ > 0 && *call_ == IncastCall::gather)
      reject("spread", "MPI_Gather takes the same size from all; use --call send or gatherv");
    constexpr std::int64_t max_bytes = std::numeric_limits<int>::max();
    if (message_bytes(senders(ranks) - 1, ranks) > max_bytes) {
      reject("spread", "the largest message has {} bytes, at most {} fit into one",
             message_bytes(senders(ranks) - 1, ranks), max_bytes);
    }
    if (*call_ == IncastCall::gatherv && total_bytes(ranks) > max_bytes) {
      reject("size", "{} senders give {} bytes, more than MPI_Gatherv displacements can represent ({})", senders(ranks),
             total_bytes(ranks), max_bytes);
    }
  }
  Traffic traffic(int ranks) const override {
    if (*call_ == IncastCall::send) {
      return {.messages = *roots_option_ * senders(ranks), .message_bytes = *roots_option_ * total_bytes(ranks)};
    }
    return {.collectives = 1, .collective_bytes = total_bytes(ranks)};
  }
  std::optional<Bytes> message_size() const override { return *size_; }
  std::string size_parameter() const override { return "size"; }
  std::optional<Bandwidth> bandwidth(int ranks) const override {
    return Bandwidth{static_cast<double>(total_bytes(ranks)), "bytes that a root receives / time"};
  }

  calls::CallList listed_calls(int rank, int ranks) const override {
    if (*call_ != IncastCall::send) reject("call", "lists of calls have no gather; expected send");
    const int first_root = static_cast<int>(*root_option_);
    const int roots = static_cast<int>(*roots_option_);
    const int position = (rank - first_root + ranks) % ranks;
    const auto rank_at = [&](int place) { return (first_root + place) % ranks; };
    calls::CallList list(rank, ranks);
    if (position < roots) {
      const calls::Requests requests = list.requests(senders(ranks));
      for (int k = 0; k < senders(ranks); ++k)
        list.irecv(requests[k], rank_at(roots + k), tag, message_bytes(k, ranks));
      list.wait_all(requests);
    } else if (position < roots + senders(ranks)) {
      const std::int64_t bytes = message_bytes(position - roots, ranks);
      if (roots == 1) {
        list.send(first_root, tag, bytes);
        return list;
      }
      const calls::Requests requests = list.requests(roots);
      for (int k = 0; k < roots; ++k) list.isend(requests[k], rank_at((position + k) % roots), tag, bytes);
      list.wait_all(requests);
    }
    return list;
  }

  void decompose(const mpi::Group& group, const Draw&) override {
    const int ranks = group.size();
    root_ = static_cast<int>(*root_option_);
    roots_ = static_cast<int>(*roots_option_);
    senders_ = senders(ranks);
    position_ = (group.rank() - root_ + ranks) % ranks;
    rank_ = group.rank();
    ranks_ = ranks;
    const bool participates = position_ < roots_ + senders_;
    // The communicator of a gather contains only the root, as rank 0, and the senders.
    if (*call_ != IncastCall::send) gather_group_ = group.split(participates ? 0 : MPI_UNDEFINED, position_);
    communicator_ = *call_ == IncastCall::send ? group.handle() : gather_group_.handle();
    if (!participates) return;
    if (is_root()) return lay_out_incoming();
    count_ = static_cast<int>(message_bytes(position_ - roots_, ranks));
    outgoing_ = Buffer(Bytes{roots_ * std::int64_t{count_}});
    in_flight_.assign(static_cast<std::size_t>(roots_), MPI_REQUEST_NULL);
  }

  void perform(Recorder&) override {
    if (position_ >= roots_ + senders_) return;
    switch (*call_) {
      case IncastCall::send:
        is_root() ? receive_all() : send_to_roots();
        return;
      case IncastCall::gather:
        mpi::check(position_ == 0
                       ? MPI_Gather(MPI_IN_PLACE, 0, MPI_BYTE, incoming_.data(), count_, MPI_BYTE, 0, communicator_)
                       : MPI_Gather(outgoing_.data(), count_, MPI_BYTE, nullptr, 0, MPI_BYTE, 0, communicator_),
                   "MPI_Gather");
        return;
      case IncastCall::gatherv:
        mpi::check(position_ == 0 ? MPI_Gatherv(MPI_IN_PLACE, 0, MPI_BYTE, incoming_.data(), counts_.data(),
                                                offsets_.data(), MPI_BYTE, 0, communicator_)
                                  : MPI_Gatherv(outgoing_.data(), count_, MPI_BYTE, nullptr, nullptr, nullptr, MPI_BYTE,
                                                0, communicator_),
                   "MPI_Gatherv");
        return;
    }
  }

  // An incast lasts until the root has received everything; a sender of small messages finishes long before.
  bool is_timed() const override { return is_root(); }

  void fill_payload(std::uint64_t pass) override {
    if (position_ >= roots_ + senders_) return;
    if (is_root()) {
      for (int sender = 0; sender < senders_; ++sender)
        payload::poison(incoming_from(sender), {sender_rank(sender), rank_, pass});
      return;
    }
    for (int root = 0; root < roots_; ++root) payload::fill(outgoing_to(root), {rank_, root_rank(root), pass});
  }
  void verify(std::uint64_t pass) const override {
    if (!is_root()) return;
    for (int sender = 0; sender < senders_; ++sender)
      payload::check(incoming_from(sender), {sender_rank(sender), rank_, pass});
  }

 private:
  bool is_root() const noexcept { return position_ < roots_; }
  int senders(int ranks) const {
    return static_cast<int>(*senders_option_ == 0 ? ranks - *roots_option_ : *senders_option_);
  }
  // Sizes rise evenly from sender to sender, from size * (1 - spread) to size * (1 + spread).
  std::int64_t message_bytes(int sender, int ranks) const {
    const int last = senders(ranks) - 1;
    if (*spread_ == 0.0 || last == 0) return size_->value;
    const double relative_position = 2.0 * sender / last - 1.0;
    return std::llround(static_cast<double>(size_->value) * (1.0 + *spread_ * relative_position));
  }
  std::int64_t total_bytes(int ranks) const {
    if (*spread_ == 0.0) return senders(ranks) * size_->value;
    std::int64_t sum = 0;
    for (int sender = 0; sender < senders(ranks); ++sender) sum += message_bytes(sender, ranks);
    return sum;
  }
  // Senders are the ranks after the roots, wrapping around to 0 after the last.
  int sender_rank(int sender) const { return (root_ + roots_ + sender) % ranks_; }
  int root_rank(int root) const { return (root_ + root) % ranks_; }

  void lay_out_incoming() {
    const std::size_t own_block = *call_ == IncastCall::gather ? static_cast<std::size_t>(size_->value) : 0;
    incoming_ = Buffer(own_block + static_cast<std::size_t>(total_bytes(ranks_)));
    count_ = static_cast<int>(size_->value);
    std::size_t offset = own_block;
    for (int sender = 0; sender < senders_; ++sender) {
      const auto length = static_cast<std::size_t>(message_bytes(sender, ranks_));
      incoming_blocks_.push_back(incoming_.bytes(offset, length));
      offset += length;
    }
    if (*call_ == IncastCall::send) in_flight_.assign(incoming_blocks_.size(), MPI_REQUEST_NULL);
    if (*call_ != IncastCall::gatherv) return;
    counts_.assign(1, 0);  // the root itself sends nothing
    offsets_.assign(1, 0);
    for (const auto& block : incoming_blocks_) {
      offsets_.push_back(static_cast<int>(block.data() - incoming_.data()));
      counts_.push_back(static_cast<int>(block.size()));
    }
  }

  void send_to_roots() {
    if (roots_ == 1) {
      mpi::check(MPI_Send(outgoing_.data(), count_, MPI_BYTE, root_, tag, communicator_), "MPI_Send");
      return;
    }
    // Senders start with different roots, so that they do not all send to the same root first.
    for (int i = 0; i < roots_; ++i) {
      const int root = (position_ + i) % roots_;
      mpi::check(MPI_Isend(outgoing_to(root).data(), count_, MPI_BYTE, root_rank(root), tag, communicator_,
                           &in_flight_[static_cast<std::size_t>(i)]),
                 "MPI_Isend");
    }
    mpi::check(MPI_Waitall(roots_, in_flight_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  }
  void receive_all() {
    for (int sender = 0; sender < senders_; ++sender) {
      const auto block = incoming_from(sender);
      mpi::check(MPI_Irecv(block.data(), static_cast<int>(block.size()), MPI_BYTE, sender_rank(sender), tag,
                           communicator_, &in_flight_[static_cast<std::size_t>(sender)]),
                 "MPI_Irecv");
    }
    mpi::check(MPI_Waitall(senders_, in_flight_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  }
  std::span<std::byte> outgoing_to(int root) const {
    const auto length = static_cast<std::size_t>(count_);
    return outgoing_.bytes(static_cast<std::size_t>(root) * length, length);
  }
  std::span<std::byte> incoming_from(int sender) const { return incoming_blocks_[static_cast<std::size_t>(sender)]; }

  Param<Bytes> size_{this, 's', "size", Bytes{1 << 20}, "bytes that each sender sends to each root", FitsMessage{}};
  Param<std::int64_t> senders_option_{
      this, 'n', "senders", 0, "number of ranks that send; 0: all but the roots", AtMost{int_max}};
  Param<std::int64_t> root_option_{
      this, 'r', "root", 0, "rank of the job that receives; with --roots, the first that does", AtMost{int_max}};
  Param<std::int64_t> roots_option_{
      this, "roots", 1, "number of ranks that receive; every sender sends to each", Positive{}, AtMost{int_max}};
  Param<IncastCall> call_{this, "call", IncastCall::send, "send: MPI_Send to MPI_Irecv; or the MPI collective"};
  Param<double> spread_{this, "spread", 0.0,
                        "sizes rise from sender to sender, from 1 - spread to 1 + spread times the size", AtMost{1.0}};

  MPI_Comm communicator_ = MPI_COMM_NULL;
  int position_ = 0;  // roots first, then senders, then idle ranks
  int roots_ = 1;
  int senders_ = 0;
  int root_ = 0;
  int count_ = 0;
  int rank_ = 0;
  int ranks_ = 0;
  std::vector<MPI_Request> in_flight_;
  std::vector<std::span<std::byte>> incoming_blocks_;
  std::vector<int> counts_;
  std::vector<int> offsets_;
  Buffer outgoing_;
  Buffer incoming_;
  mpi::Group gather_group_;
};

const RegisterMotif<Incast> registered{"incast", Family::point_to_point, "N ranks send to one, or to several",
                                       "StressBench III-A"};

}  // namespace
}  // namespace stressbench
