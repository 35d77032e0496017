// alltoall, alltoallv, alltoallw: every rank sends a block to every rank (StressBench III-A; docs/motifs/alltoall.md).
#include <mpi.h>

#include <array>
#include <cstring>

#include "motifs/collective/movement.hpp"
#include "motifs/collective/shares.hpp"

namespace stressbench {

enum class AlltoallCall { alltoall, alltoallv, pairwise };

namespace {

constexpr int tag = 1;

// A block from every rank to every rank. All blocks of a sender have the size of its share.
template <class Shares>
class BlockExchange : public Movement {
 public:
  Traffic traffic(int ranks) const override {
    return {.collectives = 1, .collective_bytes = ranks * bytes_of(shares_.total(elements(), ranks))};
  }
  std::optional<Bandwidth> bandwidth(int ranks) const override {
    // The mean over the ranks, which is the block size if there is no skew.
    const double block = static_cast<double>(bytes_of(shares_.total(elements(), ranks))) / ranks;
    return Bandwidth{(ranks - 1) * block, "bytes that one rank sends to the others / time"};
  }

 protected:
  using Movement::Movement;

  void lay_out(const mpi::Group&) override {
    receive_blocks_ = blocks(shares_.all(elements(), ranks_));
    if (*in_place_) return;
    send_blocks_ = blocks(EvenShares(nullptr).all(shares_.of(elements(), rank_, ranks_), ranks_));
  }
  std::vector<Part> outgoing() const override {
    std::vector<Part> parts;
    for (int r = 0; r < ranks_; ++r) parts.push_back({*in_place_ ? receive_blocks_[r] : send_blocks_[r], rank_, r});
    return parts;
  }
  std::vector<Part> incoming() const override {
    std::vector<Part> parts;
    for (int r = 0; r < ranks_; ++r) parts.push_back({receive_blocks_[r], r, rank_});
    return parts;
  }
  void list_alltoallv(calls::CallList& list) const {
    const std::int64_t own = bytes_of(shares_.of(elements(), list.rank(), list.ranks()));
    std::vector<std::int64_t> received = shares_.all(elements(), list.ranks());
    for (std::int64_t& count : received) count = bytes_of(count);
    list.alltoallv(list.all_ranks(), std::vector<std::int64_t>(received.size(), own), received);
  }
  const void* send_buffer() const { return *in_place_ ? MPI_IN_PLACE : send_blocks_.data(); }
  void alltoallv() {
    call_or_start(MPI_Alltoallv, MPI_Ialltoallv, send_buffer(), send_blocks_.counts(), send_blocks_.offsets(),
                  datatype(), receive_blocks_.data(), receive_blocks_.counts(), receive_blocks_.offsets(), datatype(),
                  communicator_);
  }

  Shares shares_{this};
  Param<bool> in_place_{this, "in-place", "received blocks replace those sent (MPI_IN_PLACE)"};
  Blocks send_blocks_;
  Blocks receive_blocks_;
};

class Alltoall final : public BlockExchange<EvenShares> {
 public:
  Alltoall() : BlockExchange("Alltoall", Bytes{4096}, "bytes from each rank to each other rank") {}
  void check(int ranks) const override {
    Movement::check(ranks);
    if (*call_ == AlltoallCall::pairwise && *in_place_)
      reject("in-place", "requires --call alltoall or alltoallv, not pairwise");
    if (*call_ == AlltoallCall::pairwise && nonblocking())
      reject("nonblocking", "requires --call alltoall or alltoallv, not pairwise");
    if (*call_ == AlltoallCall::alltoallv) check_displacements(ranks * elements());
  }
  Traffic traffic(int ranks) const override {
    const std::int64_t pairs = static_cast<std::int64_t>(ranks) * (ranks - 1);
    if (*call_ == AlltoallCall::pairwise) return {.messages = pairs, .message_bytes = pairs * size().value};
    return BlockExchange::traffic(ranks);
  }
  void perform(Recorder& recorder) override {
    perform_call(recorder, [this] { call(); });
  }

 protected:
  void list_call(calls::CallList& list) const override {
    switch (*call_) {
      case AlltoallCall::alltoall:
        return list.alltoall(list.all_ranks(), size().value);
      case AlltoallCall::alltoallv:
        return list_alltoallv(list);
      case AlltoallCall::pairwise:
        return list_pairwise(list);
    }
  }
  void call() override {
    switch (*call_) {
      case AlltoallCall::alltoall:
        return call_or_start(MPI_Alltoall, MPI_Ialltoall, send_buffer(), receive_blocks_.count(0), datatype(),
                             receive_blocks_.data(), receive_blocks_.count(0), datatype(), communicator_);
      case AlltoallCall::alltoallv:
        return alltoallv();
      case AlltoallCall::pairwise:
        return alltoall_pairwise();
    }
  }

 private:
  // In step k, each rank sends to the rank k above it and receives from the rank k below it: one message each way per
  // step.
  void alltoall_pairwise() {
    const auto own = send_blocks_[rank_];
    if (!own.empty()) std::memcpy(receive_blocks_[rank_].data(), own.data(), own.size());
    for (int step = 1; step < ranks_; ++step) {
      const int to = rank_ < ranks_ - step ? rank_ + step : rank_ + step - ranks_;
      const int from = rank_ >= step ? rank_ - step : rank_ - step + ranks_;
      mpi::check(MPI_Irecv(receive_blocks_[from].data(), receive_blocks_.count(from), datatype(), from, tag,
                           communicator_, &in_flight_[0]),
                 "MPI_Irecv");
      mpi::check(MPI_Isend(send_blocks_[to].data(), send_blocks_.count(to), datatype(), to, tag, communicator_,
                           &in_flight_[1]),
                 "MPI_Isend");
      mpi::check(MPI_Waitall(2, in_flight_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
    }
  }

  void list_pairwise(calls::CallList& list) const {
    const calls::Requests requests = list.requests(2);
    for (int step = 1; step < list.ranks(); ++step) {
      list.irecv(requests[0], (list.rank() - step + list.ranks()) % list.ranks(), tag, size().value);
      list.isend(requests[1], (list.rank() + step) % list.ranks(), tag, size().value);
      list.wait_all(requests);
    }
  }

  Param<AlltoallCall> call_{this, "call", AlltoallCall::alltoall,
                            "the MPI collective, or the same exchange by point-to-point messages, one peer at a time"};
  std::array<MPI_Request, 2> in_flight_{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
};

// Base class of the variants in which block sizes may differ.
class SkewedBlockExchange : public BlockExchange<SkewedShares> {
 public:
  void check(int ranks) const override {
    Movement::check(ranks);
    check_displacements(largest_buffer(ranks));
    if (*in_place_ && shares_.skewed())
      reject("in-place", "each rank must send as many bytes as it receives; cannot be combined with --skew");
  }

 protected:
  using BlockExchange::BlockExchange;
  // In elements: the send buffer of the last rank, which has the largest blocks.
  std::int64_t largest_buffer(int ranks) const { return ranks * shares_.of(elements(), ranks - 1, ranks); }
};

class Alltoallv final : public SkewedBlockExchange {
 public:
  Alltoallv() : SkewedBlockExchange("Alltoallv", Bytes{4096}, "bytes from each rank to each other rank") {}
  void perform(Recorder& recorder) override {
    perform_call(recorder, [this] { call(); });
  }

 protected:
  void list_call(calls::CallList& list) const override { list_alltoallv(list); }
  void call() override { alltoallv(); }
};

class Alltoallw final : public SkewedBlockExchange {
 public:
  Alltoallw() : SkewedBlockExchange("Alltoallw", Bytes{4096}, "bytes from each rank to each other rank") {}
  void check(int ranks) const override {
    SkewedBlockExchange::check(ranks);
    check_displacements(bytes_of(largest_buffer(ranks)));  // displacements of MPI_Alltoallw are in bytes
  }
  void perform(Recorder& recorder) override {
    perform_call(recorder, [this] { call(); });
  }

 protected:
  void lay_out(const mpi::Group& group) override {
    SkewedBlockExchange::lay_out(group);
    types_.assign(static_cast<std::size_t>(ranks_), datatype());
    for (int r = 0; r < ranks_; ++r) {
      if (!*in_place_) send_offsets_.push_back(static_cast<int>(send_blocks_.byte_offset(r)));
      receive_offsets_.push_back(static_cast<int>(receive_blocks_.byte_offset(r)));
    }
  }
  void call() override {
    call_or_start(MPI_Alltoallw, MPI_Ialltoallw, send_buffer(), send_blocks_.counts(), send_offsets_.data(),
                  types_.data(), receive_blocks_.data(), receive_blocks_.counts(), receive_offsets_.data(),
                  types_.data(), communicator_);
  }

 private:
  std::vector<MPI_Datatype> types_;
  std::vector<int> send_offsets_;
  std::vector<int> receive_offsets_;
};

const RegisterMotif<Alltoall> alltoall{"alltoall", Family::collective, "every rank sends a block to every rank",
                                       "StressBench III-A"};
const RegisterMotif<Alltoallv> alltoallv{"alltoallv", Family::collective,
                                         "every rank sends a block to every rank; sizes may differ"};
const RegisterMotif<Alltoallw> alltoallw{"alltoallw", Family::collective,
                                         "every rank sends a block to every rank; sizes and types may differ"};

}  // namespace
}  // namespace stressbench
