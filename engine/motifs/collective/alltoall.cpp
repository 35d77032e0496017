// alltoall: every rank has something for every other (StressBench III-A; docs/motifs/alltoall.md).
#include <fmt/format.h>
#include <mpi.h>

#include <array>
#include <cstring>
#include <limits>
#include <vector>

#include "motifs/message.hpp"
#include "motifs/motif.hpp"
#include "motifs/payload.hpp"

namespace stressbench {

enum class AlltoallCall { alltoall, alltoallv, pairwise };
template <>
struct Names<AlltoallCall> {
  static constexpr std::array values{std::pair{std::string_view{"alltoall"}, AlltoallCall::alltoall},
                                     std::pair{std::string_view{"alltoallv"}, AlltoallCall::alltoallv},
                                     std::pair{std::string_view{"pairwise"}, AlltoallCall::pairwise}};
};

namespace {

constexpr int tag = 1;

class Alltoall final : public Motif {
 public:
  void check(int ranks) const override {
    if (*in_place_ && *call_ == AlltoallCall::pairwise) {
      throw ParameterMistake("in-place", "--in-place: goes with --call alltoall or alltoallv, not with pairwise");
    }
    constexpr std::int64_t most = std::numeric_limits<int>::max();
    if (*call_ == AlltoallCall::alltoallv && size_->value > most / ranks) {
      throw ParameterMistake(
          "size",
          fmt::format("--size: {} times {} ranks is more than alltoallv's displacements can say; at most {} bytes",
                      size_->value, ranks, most / ranks));
    }
  }
  Traffic traffic(int ranks) const override {
    const std::int64_t others = static_cast<std::int64_t>(ranks) * (ranks - 1);
    if (*call_ == AlltoallCall::pairwise) return {.messages = others, .message_bytes = others * size_->value};
    return {.collectives = 1, .collective_bytes = static_cast<std::int64_t>(ranks) * ranks * size_->value};
  }
  std::optional<Bytes> message_size() const override { return *size_; }
  std::string size_parameter() const override { return "size"; }
  std::optional<Bandwidth> bandwidth(int ranks) const override {
    return Bandwidth{static_cast<double>(ranks - 1) * static_cast<double>(size_->value),
                     "bytes that one rank sends to others / time"};
  }

  void decompose(const mpi::Group& group, const Draw&) override {
    communicator_ = group.handle();
    rank_ = group.rank();
    ranks_ = group.size();
    count_ = static_cast<int>(size_->value);
    block_ = static_cast<std::size_t>(size_->value);
    const auto ranks = static_cast<std::size_t>(ranks_);
    outgoing_ = *in_place_ ? Buffer() : Buffer(ranks * block_);
    incoming_ = Buffer(ranks * block_);
    from_ = *in_place_ ? MPI_IN_PLACE : outgoing_.data();
    if (*call_ == AlltoallCall::alltoallv) {
      counts_.assign(ranks, count_);
      offsets_.resize(ranks);
      for (std::size_t r = 0; r < ranks; ++r) offsets_[r] = static_cast<int>(r * block_);
    }
  }

  void perform(Recorder&) override {
    switch (*call_) {
      case AlltoallCall::alltoall:
        mpi::must(MPI_Alltoall(from_, count_, MPI_BYTE, incoming_.data(), count_, MPI_BYTE, communicator_),
                  "MPI_Alltoall");
        return;
      case AlltoallCall::alltoallv:
        mpi::must(MPI_Alltoallv(from_, counts_.data(), offsets_.data(), MPI_BYTE, incoming_.data(), counts_.data(),
                                offsets_.data(), MPI_BYTE, communicator_),
                  "MPI_Alltoallv");
        return;
      case AlltoallCall::pairwise:
        exchange_pairwise();
        return;
    }
  }

  void stamp(std::uint64_t pass) override {
    for (int peer = 0; peer < ranks_; ++peer) {
      if (!*in_place_) payload::spoil(block(incoming_, peer), {peer, rank_, pass});
      payload::fill(block(*in_place_ ? incoming_ : outgoing_, peer), {rank_, peer, pass});
    }
  }
  void verify(std::uint64_t pass) const override {
    for (int peer = 0; peer < ranks_; ++peer) payload::check(block(incoming_, peer), {peer, rank_, pass});
  }

 private:
  // Step k: to the rank k places up, from the rank k places down, so that in each step everyone sends once and receives
  // once.
  void exchange_pairwise() {
    if (block_ > 0) std::memcpy(at(incoming_, rank_), at(outgoing_, rank_), block_);
    for (int step = 1; step < ranks_; ++step) {
      const int to = rank_ < ranks_ - step ? rank_ + step : rank_ + step - ranks_;
      const int from = rank_ >= step ? rank_ - step : rank_ - step + ranks_;
      mpi::must(MPI_Irecv(at(incoming_, from), count_, MPI_BYTE, from, tag, communicator_, &in_flight_[0]),
                "MPI_Irecv");
      mpi::must(MPI_Isend(at(outgoing_, to), count_, MPI_BYTE, to, tag, communicator_, &in_flight_[1]), "MPI_Isend");
      mpi::must(MPI_Waitall(2, in_flight_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
    }
  }

  std::byte* at(const Buffer& buffer, int peer) const {
    return buffer.data() + static_cast<std::size_t>(peer) * block_;
  }
  std::span<std::byte> block(const Buffer& buffer, int peer) const { return {at(buffer, peer), block_}; }

  Param<Bytes> size_{this, 's', "size", Bytes{4096}, "bytes from each rank to each", FitsMessage{}};
  Param<AlltoallCall> call_{this, '\0', "call", AlltoallCall::alltoall,
                            "the MPI collective, or the same by point-to-point messages, one peer after the other"};
  Param<bool> in_place_{this, '\0', "in-place", "what is received replaces what was given (MPI_IN_PLACE)"};

  MPI_Comm communicator_ = MPI_COMM_NULL;
  const void* from_ = nullptr;
  int count_ = 0;
  std::size_t block_ = 0;
  int rank_ = 0;
  int ranks_ = 0;
  std::array<MPI_Request, 2> in_flight_{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  std::vector<int> counts_;
  std::vector<int> offsets_;
  Buffer outgoing_;
  Buffer incoming_;
};

const RegisterMotif<Alltoall> registered{"alltoall", Family::collective, "every rank sends a block to every rank",
                                         "StressBench III-A"};

}  // namespace
}  // namespace stressbench
