// incast: N ranks send to one, as files of one job reach one I/O node (StressBench III-A, V; docs/motifs/incast.md).
#include <fmt/format.h>
#include <mpi.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "motifs/message.hpp"
#include "motifs/motif.hpp"
#include "motifs/payload.hpp"

namespace stressbench {

enum class IncastCall { send, gather, gatherv };
template <>
struct Names<IncastCall> {
  static constexpr std::array values{std::pair{std::string_view{"send"}, IncastCall::send},
                                     std::pair{std::string_view{"gather"}, IncastCall::gather},
                                     std::pair{std::string_view{"gatherv"}, IncastCall::gatherv}};
};

namespace {

constexpr int tag = 1;

class Incast final : public Motif {
 public:
  void check(int ranks) const override {
    if (ranks < 2) throw ParameterMistake("", fmt::format("incast needs 2 ranks or more, but the job has {}", ranks));
    if (*root_given_ >= ranks) {
      throw ParameterMistake("root",
                             fmt::format("--root: {}, but the job's ranks are 0 to {}", *root_given_, ranks - 1));
    }
    if (*senders_given_ >= ranks) {
      throw ParameterMistake("senders", fmt::format("--senders: {}, but beside the root the job has {} ranks",
                                                    *senders_given_, ranks - 1));
    }
    if (*spread_ > 0 && *call_ == IncastCall::gather) {
      throw ParameterMistake("spread", "--spread: MPI_Gather takes the same size from all; use --call send or gatherv");
    }
    constexpr std::int64_t most = std::numeric_limits<int>::max();
    if (size_of(senders(ranks) - 1, ranks) > most) {
      throw ParameterMistake("spread",
                             fmt::format("--spread: the largest message has {} bytes, at most {} fit into one",
                                         size_of(senders(ranks) - 1, ranks), most));
    }
    if (*call_ == IncastCall::gatherv && total(ranks) > most) {
      throw ParameterMistake(
          "size", fmt::format("--size: {} senders give {} bytes, more than gatherv's displacements can say ({})",
                              senders(ranks), total(ranks), most));
    }
  }
  Traffic traffic(int ranks) const override {
    if (*call_ == IncastCall::send) return {.messages = senders(ranks), .message_bytes = total(ranks)};
    return {.collectives = 1, .collective_bytes = total(ranks)};
  }
  std::optional<Bytes> message_size() const override { return *size_; }
  std::string size_parameter() const override { return "size"; }
  std::optional<Bandwidth> bandwidth(int ranks) const override {
    return Bandwidth{static_cast<double>(total(ranks)), "bytes that the root receives / time"};
  }

  void decompose(const mpi::Group& group, const Draw&) override {
    const int ranks = group.size();
    root_ = static_cast<int>(*root_given_);
    senders_ = senders(ranks);
    place_ = (group.rank() - root_ + ranks) % ranks;
    rank_ = group.rank();
    ranks_ = ranks;
    const bool takes_part = place_ <= senders_;
    // Root first, then the senders: a gather's communicator holds nobody else.
    if (*call_ != IncastCall::send) gathering_ = group.split(takes_part ? 0 : MPI_UNDEFINED, place_);
    communicator_ = *call_ == IncastCall::send ? group.handle() : gathering_.handle();
    if (!takes_part) return;
    if (place_ == 0) {
      lay_out_arrivals();
    } else {
      count_ = static_cast<int>(size_of(place_ - 1, ranks));
      outgoing_ = Buffer(Bytes{count_});
    }
  }

  void perform(Recorder&) override {
    if (place_ > senders_) return;
    switch (*call_) {
      case IncastCall::send:
        place_ == 0 ? receive_all()
                    : mpi::must(MPI_Send(outgoing_.data(), count_, MPI_BYTE, root_, tag, communicator_), "MPI_Send");
        return;
      case IncastCall::gather:
        mpi::must(place_ == 0
                      ? MPI_Gather(MPI_IN_PLACE, 0, MPI_BYTE, incoming_.data(), count_, MPI_BYTE, 0, communicator_)
                      : MPI_Gather(outgoing_.data(), count_, MPI_BYTE, nullptr, 0, MPI_BYTE, 0, communicator_),
                  "MPI_Gather");
        return;
      case IncastCall::gatherv:
        mpi::must(place_ == 0 ? MPI_Gatherv(MPI_IN_PLACE, 0, MPI_BYTE, incoming_.data(), counts_.data(),
                                            offsets_.data(), MPI_BYTE, 0, communicator_)
                              : MPI_Gatherv(outgoing_.data(), count_, MPI_BYTE, nullptr, nullptr, nullptr, MPI_BYTE, 0,
                                            communicator_),
                  "MPI_Gatherv");
        return;
    }
  }

  // An incast lasts until the root has everything; a sender of small messages is through long before.
  bool observes() const override { return place_ == 0; }

  void stamp(std::uint64_t pass) override {
    if (place_ > senders_) return;
    if (place_ > 0) return payload::fill(outgoing_.bytes(), {rank_, root_, pass});
    for (int sender = 0; sender < senders_; ++sender) payload::spoil(arrival(sender), {rank_of(sender), root_, pass});
  }
  void verify(std::uint64_t pass) const override {
    if (place_ > 0) return;
    for (int sender = 0; sender < senders_; ++sender) payload::check(arrival(sender), {rank_of(sender), root_, pass});
  }

 private:
  int senders(int ranks) const { return *senders_given_ == 0 ? ranks - 1 : static_cast<int>(*senders_given_); }
  // Sizes rise evenly from sender to sender, from size * (1 - spread) to size * (1 + spread).
  std::int64_t size_of(int sender, int ranks) const {
    const int last = senders(ranks) - 1;
    if (*spread_ == 0.0 || last == 0) return size_->value;
    const double place = 2.0 * sender / last - 1.0;
    return std::llround(static_cast<double>(size_->value) * (1.0 + *spread_ * place));
  }
  std::int64_t total(int ranks) const {
    if (*spread_ == 0.0) return senders(ranks) * size_->value;
    std::int64_t sum = 0;
    for (int sender = 0; sender < senders(ranks); ++sender) sum += size_of(sender, ranks);
    return sum;
  }
  // Senders are the ranks that follow the root, going on at 0 after the last.
  int rank_of(int sender) const { return (root_ + 1 + sender) % ranks_; }

  void lay_out_arrivals() {
    const std::size_t own_block = *call_ == IncastCall::gather ? static_cast<std::size_t>(size_->value) : 0;
    incoming_ = Buffer(own_block + static_cast<std::size_t>(total(ranks_)));
    count_ = static_cast<int>(size_->value);
    std::size_t at = own_block;
    for (int sender = 0; sender < senders_; ++sender) {
      const auto length = static_cast<std::size_t>(size_of(sender, ranks_));
      arrivals_.push_back(incoming_.bytes(at, length));
      at += length;
    }
    if (*call_ == IncastCall::send) in_flight_.assign(arrivals_.size(), MPI_REQUEST_NULL);
    if (*call_ != IncastCall::gatherv) return;
    counts_.assign(1, 0);  // the root itself gives nothing
    offsets_.assign(1, 0);
    for (const auto& arrival : arrivals_) {
      offsets_.push_back(static_cast<int>(arrival.data() - incoming_.data()));
      counts_.push_back(static_cast<int>(arrival.size()));
    }
  }

  void receive_all() {
    for (int sender = 0; sender < senders_; ++sender) {
      const auto arrival_bytes = arrival(sender);
      mpi::must(MPI_Irecv(arrival_bytes.data(), static_cast<int>(arrival_bytes.size()), MPI_BYTE, rank_of(sender), tag,
                          communicator_, &in_flight_[static_cast<std::size_t>(sender)]),
                "MPI_Irecv");
    }
    mpi::must(MPI_Waitall(senders_, in_flight_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  }
  std::span<std::byte> arrival(int sender) const { return arrivals_[static_cast<std::size_t>(sender)]; }

  Param<Bytes> size_{this, 's', "size", Bytes{1 << 20}, "bytes that each sender sends", FitsMessage{}};
  Param<std::int64_t> senders_given_{this,
                                     'n',
                                     "senders",
                                     0,
                                     "how many ranks send; 0: all but the root",
                                     AtMost<std::int64_t>{std::numeric_limits<int>::max()}};
  Param<std::int64_t> root_given_{
      this, 'r', "root", 0, "rank of the job that receives", AtMost<std::int64_t>{std::numeric_limits<int>::max()}};
  Param<IncastCall> call_{this, '\0', "call", IncastCall::send, "send: MPI_Send to MPI_Irecv; or the MPI collective"};
  Param<double> spread_{this,
                        '\0',
                        "spread",
                        0.0,
                        "sizes rise from sender to sender, from 1 - spread to 1 + spread times the size",
                        AtMost<double>{1.0}};

  MPI_Comm communicator_ = MPI_COMM_NULL;
  int place_ = 0;  // 0 the root, 1..senders the senders, above: idle
  int senders_ = 0;
  int root_ = 0;
  int count_ = 0;
  int rank_ = 0;
  int ranks_ = 0;
  std::vector<MPI_Request> in_flight_;
  std::vector<std::span<std::byte>> arrivals_;
  std::vector<int> counts_;
  std::vector<int> offsets_;
  Buffer outgoing_;
  Buffer incoming_;
  mpi::Group gathering_;
};

const RegisterMotif<Incast> registered{"incast", Family::point_to_point, "N ranks send to one", "StressBench III-A"};

}  // namespace
}  // namespace stressbench
