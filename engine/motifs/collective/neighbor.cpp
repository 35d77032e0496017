// neighbor_allgather(v), neighbor_alltoall(v)(w): collectives among neighbours only (docs/motifs/neighbor.md).
#include <mpi.h>

#include <algorithm>
#include <type_traits>

#include "motifs/collective/movement.hpp"
#include "motifs/collective/neighbourhood.hpp"
#include "motifs/collective/shares.hpp"

namespace stressbench {
namespace {

enum class Call { allgather, allgatherv, alltoall, alltoallv, alltoallw };

constexpr bool is_allgather(Call call) { return call == Call::allgather || call == Call::allgatherv; }
constexpr bool sizes_may_differ(Call call) { return call != Call::allgather && call != Call::alltoall; }
constexpr const char* function_of(Call call) {
  constexpr std::array functions{"Neighbor_allgather", "Neighbor_allgatherv", "Neighbor_alltoall", "Neighbor_alltoallv",
                                 "Neighbor_alltoallw"};
  return functions[static_cast<std::size_t>(call)];
}

template <Call which>
class Neighbor final : public Movement {
 public:
  Neighbor() : Movement(function_of(which), Bytes{4096}, "bytes from each rank to each of its neighbours") {}
  void check(int ranks) const override {
    Movement::check(ranks);
    neighbourhood_.check(ranks);
    if (sizes_may_differ(which))
      check_displacements(neighbourhood_.max_blocks(ranks) * shares_.of(elements(), ranks - 1, ranks));
  }
  Traffic traffic(int ranks) const override {
    const std::int64_t contributed = is_allgather(which) ? shares_.total(elements(), ranks) : sent_elements(ranks);
    return {.collectives = 1, .collective_bytes = bytes_of(contributed)};
  }
  std::optional<Bandwidth> bandwidth(int ranks) const override {
    return Bandwidth{static_cast<double>(bytes_of(sent_elements(ranks))) / ranks,
                     "bytes that a rank gets from its neighbours, mean over ranks / time of the call"};
  }
  void perform(Recorder& recorder) override {
    perform_call(recorder, [this] { call(); });
  }

 protected:
  void lay_out(const mpi::Group& group) override {
    topology_ = neighbourhood_.create_communicator(group);
    neighbours_ = neighbourhood_.neighbours_of(rank_, ranks_);
    std::vector<std::int64_t> send_counts;
    std::vector<std::int64_t> receive_counts;
    for (const int peer : neighbours_) {
      const bool absent = sizes_may_differ(which) && peer == MPI_PROC_NULL;
      send_counts.push_back(absent ? 0 : shares_.of(elements(), rank_, ranks_));
      receive_counts.push_back(absent ? 0 : shares_.of(elements(), peer, ranks_));
    }
    if (is_allgather(which)) send_counts = {shares_.of(elements(), rank_, ranks_)};
    send_blocks_ = blocks(send_counts);
    receive_blocks_ = blocks(receive_counts);
    types_.assign(neighbours_.size(), datatype());
    for (int i = 0; i < receive_blocks_.size(); ++i) {
      send_offsets_.push_back(static_cast<MPI_Aint>(send_blocks_.byte_offset(is_allgather(which) ? 0 : i)));
      receive_offsets_.push_back(static_cast<MPI_Aint>(receive_blocks_.byte_offset(i)));
    }
  }
  // A rank that is the neighbour on both sides gets the same data in both blocks, since libraries differ in their
  // order.
  std::vector<Part> outgoing() const override {
    if (is_allgather(which)) return {{send_blocks_[0], rank_, rank_}};
    std::vector<Part> parts;
    for (int i = 0; i < send_blocks_.size(); ++i) parts.push_back({send_blocks_[i], rank_, peer(i)});
    return parts;
  }
  std::vector<Part> incoming() const override {
    std::vector<Part> parts;
    for (int i = 0; i < receive_blocks_.size(); ++i) {
      if (peer(i) != MPI_PROC_NULL)
        parts.push_back({receive_blocks_[i], peer(i), is_allgather(which) ? peer(i) : rank_});
    }
    return parts;
  }
  void call() override {
    const MPI_Comm communicator = topology_.handle();
    if constexpr (which == Call::allgather) {
      call_or_start(MPI_Neighbor_allgather, MPI_Ineighbor_allgather, send_blocks_.data(), send_blocks_.count(0),
                    datatype(), receive_blocks_.data(), send_blocks_.count(0), datatype(), communicator);
    } else if constexpr (which == Call::allgatherv) {
      call_or_start(MPI_Neighbor_allgatherv, MPI_Ineighbor_allgatherv, send_blocks_.data(), send_blocks_.count(0),
                    datatype(), receive_blocks_.data(), receive_blocks_.counts(), receive_blocks_.offsets(), datatype(),
                    communicator);
    } else if constexpr (which == Call::alltoall) {
      call_or_start(MPI_Neighbor_alltoall, MPI_Ineighbor_alltoall, send_blocks_.data(), send_blocks_.count(0),
                    datatype(), receive_blocks_.data(), send_blocks_.count(0), datatype(), communicator);
    } else if constexpr (which == Call::alltoallv) {
      call_or_start(MPI_Neighbor_alltoallv, MPI_Ineighbor_alltoallv, send_blocks_.data(), send_blocks_.counts(),
                    send_blocks_.offsets(), datatype(), receive_blocks_.data(), receive_blocks_.counts(),
                    receive_blocks_.offsets(), datatype(), communicator);
    } else {
      call_or_start(MPI_Neighbor_alltoallw, MPI_Ineighbor_alltoallw, send_blocks_.data(), send_blocks_.counts(),
                    send_offsets_.data(), types_.data(), receive_blocks_.data(), receive_blocks_.counts(),
                    receive_offsets_.data(), types_.data(), communicator);
    }
  }

 private:
  using Shares = std::conditional_t<sizes_may_differ(which), SkewedShares, EvenShares>;

  int peer(int index) const { return neighbours_[static_cast<std::size_t>(index)]; }
  // Number of elements that all ranks send to all their neighbours.
  std::int64_t sent_elements(int ranks) const {
    std::int64_t sum = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      const auto neighbours = neighbourhood_.neighbours_of(rank, ranks);
      const auto absent = std::ranges::count(neighbours, MPI_PROC_NULL);
      sum += (static_cast<std::int64_t>(neighbours.size()) - absent) * shares_.of(elements(), rank, ranks);
    }
    return sum;
  }

  Neighbourhood neighbourhood_{this};
  Shares shares_{this};
  mpi::Group topology_;
  std::vector<int> neighbours_;
  std::vector<MPI_Datatype> types_;
  std::vector<MPI_Aint> send_offsets_;
  std::vector<MPI_Aint> receive_offsets_;
  Blocks send_blocks_;
  Blocks receive_blocks_;
};

const RegisterMotif<Neighbor<Call::allgather>> allgather{"neighbor_allgather", Family::collective,
                                                         "each rank's block to all of its neighbours"};
const RegisterMotif<Neighbor<Call::allgatherv>> allgatherv{
    "neighbor_allgatherv", Family::collective, "each rank's block to all of its neighbours; sizes may differ"};
const RegisterMotif<Neighbor<Call::alltoall>> alltoall{"neighbor_alltoall", Family::collective,
                                                       "a block from each rank to each of its neighbours"};
const RegisterMotif<Neighbor<Call::alltoallv>> alltoallv{
    "neighbor_alltoallv", Family::collective, "a block from each rank to each of its neighbours; sizes may differ"};
const RegisterMotif<Neighbor<Call::alltoallw>> alltoallw{
    "neighbor_alltoallw", Family::collective,
    "a block from each rank to each of its neighbours; sizes and types may differ"};

}  // namespace
}  // namespace stressbench
