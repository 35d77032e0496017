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

constexpr bool same_to_all(Call call) { return call == Call::allgather || call == Call::allgatherv; }
constexpr bool any_sizes(Call call) { return call != Call::allgather && call != Call::alltoall; }
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
    if (any_sizes(which)) check_displacements(neighbourhood_.slots(ranks) * shares_.of(elements(), ranks - 1, ranks));
  }
  Traffic traffic(int ranks) const override {
    const std::int64_t given = same_to_all(which) ? shares_.total(elements(), ranks) : moved(ranks);
    return {.collectives = 1, .collective_bytes = bytes_of(given)};
  }
  std::optional<Bandwidth> bandwidth(int ranks) const override {
    return Bandwidth{static_cast<double>(bytes_of(moved(ranks))) / ranks,
                     "bytes that a rank gets from its neighbours, mean over ranks / time of the call"};
  }
  void perform(Recorder& recorder) override {
    around(recorder, [this] { call(); });
  }

 protected:
  void lay_out(const mpi::Group& group) override {
    topology_ = neighbourhood_.make(group);
    neighbours_ = neighbourhood_.of(rank_, ranks_);
    std::vector<std::int64_t> given;
    std::vector<std::int64_t> got;
    for (const int peer : neighbours_) {
      const bool absent = any_sizes(which) && peer == MPI_PROC_NULL;
      given.push_back(absent ? 0 : shares_.of(elements(), rank_, ranks_));
      got.push_back(absent ? 0 : shares_.of(elements(), peer, ranks_));
    }
    if (same_to_all(which)) given = {shares_.of(elements(), rank_, ranks_)};
    out_ = blocks(given);
    in_ = blocks(got);
    types_.assign(neighbours_.size(), datatype());
    for (int i = 0; i < in_.size(); ++i) {
      out_offsets_.push_back(static_cast<MPI_Aint>(out_.byte_offset(same_to_all(which) ? 0 : i)));
      in_offsets_.push_back(static_cast<MPI_Aint>(in_.byte_offset(i)));
    }
  }
  // A rank that is the neighbour on both sides gets the same data in both blocks, since libraries differ in their
  // order.
  std::vector<Part> outgoing() const override {
    if (same_to_all(which)) return {{out_[0], rank_, rank_}};
    std::vector<Part> parts;
    for (int i = 0; i < out_.size(); ++i) parts.push_back({out_[i], rank_, peer(i)});
    return parts;
  }
  std::vector<Part> incoming() const override {
    std::vector<Part> parts;
    for (int i = 0; i < in_.size(); ++i) {
      if (peer(i) != MPI_PROC_NULL) parts.push_back({in_[i], peer(i), same_to_all(which) ? peer(i) : rank_});
    }
    return parts;
  }
  void call() override {
    const MPI_Comm among = topology_.handle();
    if constexpr (which == Call::allgather) {
      either(MPI_Neighbor_allgather, MPI_Ineighbor_allgather, out_.data(), out_.count(0), datatype(), in_.data(),
             out_.count(0), datatype(), among);
    } else if constexpr (which == Call::allgatherv) {
      either(MPI_Neighbor_allgatherv, MPI_Ineighbor_allgatherv, out_.data(), out_.count(0), datatype(), in_.data(),
             in_.counts(), in_.offsets(), datatype(), among);
    } else if constexpr (which == Call::alltoall) {
      either(MPI_Neighbor_alltoall, MPI_Ineighbor_alltoall, out_.data(), out_.count(0), datatype(), in_.data(),
             out_.count(0), datatype(), among);
    } else if constexpr (which == Call::alltoallv) {
      either(MPI_Neighbor_alltoallv, MPI_Ineighbor_alltoallv, out_.data(), out_.counts(), out_.offsets(), datatype(),
             in_.data(), in_.counts(), in_.offsets(), datatype(), among);
    } else {
      either(MPI_Neighbor_alltoallw, MPI_Ineighbor_alltoallw, out_.data(), out_.counts(), out_offsets_.data(),
             types_.data(), in_.data(), in_.counts(), in_offsets_.data(), types_.data(), among);
    }
  }

 private:
  using Shares = std::conditional_t<any_sizes(which), SkewedShares, EvenShares>;

  int peer(int index) const { return neighbours_[static_cast<std::size_t>(index)]; }
  // Number of elements that all ranks send to all their neighbours.
  std::int64_t moved(int ranks) const {
    std::int64_t sum = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      const auto neighbours = neighbourhood_.of(rank, ranks);
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
  std::vector<MPI_Aint> out_offsets_;
  std::vector<MPI_Aint> in_offsets_;
  Blocks out_;
  Blocks in_;
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
