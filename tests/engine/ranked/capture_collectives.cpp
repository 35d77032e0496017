// Wrappers of the collectives, blocking and nonblocking, for capture.hpp.
#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <string_view>

#include "capture.hpp"
#include "capture_parts.hpp"

namespace stressbench::test::capture {
namespace {

// What is recorded of a call on this rank. Nothing here allocates, since tests count allocations.
struct Call {
  std::string_view name;
  MPI_Op operation;
  std::int64_t shown;     // in the token
  std::int64_t sent;      // counted as sent
  void* in;               // receive buffer; null: none
  std::int64_t received;  // bytes received
};

template <class Go>
int at_once(const Call& call, MPI_Comm communicator, Go go) {
  collective(call.name, call.operation, call.shown, call.sent, communicator);
  const int code = go();
  if (call.in != nullptr) arrives_now(call.in, call.received);
  return code;
}
template <class Go>
int started(const Call& call, MPI_Comm communicator, const MPI_Request* request, Go go) {
  std::array<char, 32> name{'I', static_cast<char>(std::tolower(call.name.front()))};
  std::ranges::copy(call.name.substr(1), name.begin() + 2);
  collective(name.data(), call.operation, call.shown, call.sent, communicator);
  const int code = go();
  if (call.in != nullptr) arrives_later(call.in, call.received, *request);
  return code;
}

int rank_in(MPI_Comm communicator) {
  int rank = 0;
  PMPI_Comm_rank(communicator, &rank);
  return rank;
}
MPI_Datatype nth(MPI_Datatype type, std::size_t) { return type; }
MPI_Datatype nth(const MPI_Datatype* types, std::size_t index) { return types[index]; }
template <class Types>
std::int64_t sum_of(const int* counts, Types types, MPI_Comm communicator) {
  std::int64_t sum = 0;
  for (std::size_t r = 0; r < static_cast<std::size_t>(size_of(communicator)); ++r) {
    sum += bytes_of(counts[r], nth(types, r));
  }
  return sum;
}

// The ranks that a rank sends to in a neighbourhood collective, in order; MPI_PROC_NULL at the edge of a grid.
struct Neighbours {
  std::array<int, 64> ranks{};
  std::size_t count = 0;
  std::span<const int> all() const { return {ranks.data(), count}; }
};
Neighbours neighbours(MPI_Comm communicator) {
  int topology = MPI_UNDEFINED;
  PMPI_Topo_test(communicator, &topology);
  Neighbours found;
  if (topology == MPI_CART) {
    int dimensions = 0;
    PMPI_Cartdim_get(communicator, &dimensions);
    for (int d = 0; d < dimensions; ++d, found.count += 2) {
      PMPI_Cart_shift(communicator, d, 1, &found.ranks[found.count], &found.ranks[found.count + 1]);
    }
  } else {
    std::array<int, 64> sources{};
    int in = 0;
    int out = 0;
    int weighted = 0;
    PMPI_Dist_graph_neighbors_count(communicator, &in, &out, &weighted);
    PMPI_Dist_graph_neighbors(communicator, in, sources.data(), MPI_UNWEIGHTED, out, found.ranks.data(),
                              MPI_UNWEIGHTED);
    found.count = static_cast<std::size_t>(out);
  }
  return found;
}
std::int64_t slots(MPI_Comm communicator) { return static_cast<std::int64_t>(neighbours(communicator).count); }
std::int64_t existing(MPI_Comm communicator) {
  const Neighbours found = neighbours(communicator);
  return std::ranges::count_if(found.all(), [](int rank) { return rank != MPI_PROC_NULL; });
}
struct Lengths {
  std::int64_t all = 0;
  std::int64_t existing = 0;  // without those of MPI_PROC_NULL
};
template <class Types>
Lengths to_neighbours(const int* counts, Types types, MPI_Comm communicator) {
  Lengths lengths;
  const Neighbours found = neighbours(communicator);
  for (std::size_t i = 0; i < found.count; ++i) {
    const std::int64_t bytes = bytes_of(counts[i], nth(types, i));
    lengths.all += bytes;
    if (found.ranks[i] != MPI_PROC_NULL) lengths.existing += bytes;
  }
  return lengths;
}

Call bcast(void* data, std::int64_t bytes, int root, MPI_Comm communicator) {
  return {"Bcast", MPI_OP_NULL, bytes, bytes, rank_in(communicator) == root ? nullptr : data, bytes};
}
Call gather(const void* out, std::int64_t own, void* in, std::int64_t block, MPI_Comm communicator) {
  const std::int64_t sent = out == MPI_IN_PLACE ? 0 : own;
  return {"Gather", MPI_OP_NULL, sent, sent, in, block * size_of(communicator)};
}
Call gatherv(const void* out, std::int64_t own, void* in, const int* counts, MPI_Datatype type, int root,
             MPI_Comm communicator) {
  const std::int64_t sent = out == MPI_IN_PLACE ? 0 : own;
  const bool is_root = rank_in(communicator) == root;
  return {"Gatherv", MPI_OP_NULL, sent, sent, is_root ? in : nullptr, is_root ? sum_of(counts, type, communicator) : 0};
}
Call scatter(std::int64_t block, void* in, std::int64_t own, int root, MPI_Comm communicator) {
  const bool is_root = rank_in(communicator) == root;
  return {"Scatter",
          MPI_OP_NULL,
          is_root ? block : own,
          is_root ? block * size_of(communicator) : 0,
          in == MPI_IN_PLACE ? nullptr : in,
          own};
}
Call scatterv(const int* counts, MPI_Datatype type, void* in, std::int64_t own, int root, MPI_Comm communicator) {
  const bool is_root = rank_in(communicator) == root;
  return {
      "Scatterv", MPI_OP_NULL, own, is_root ? sum_of(counts, type, communicator) : 0, in == MPI_IN_PLACE ? nullptr : in,
      own};
}
Call alltoall(void* in, std::int64_t block, MPI_Comm communicator) {
  const std::int64_t all = block * size_of(communicator);
  return {"Alltoall", MPI_OP_NULL, block, all, in, all};
}
Call exchange(const char* name, std::int64_t sent, void* in, std::int64_t received) {
  return {name, MPI_OP_NULL, sent, sent, in, received};
}
Call neighbour_exchange(const char* name, const Lengths& sent, void* in, const Lengths& received) {
  return {name, MPI_OP_NULL, sent.all, sent.existing, in, received.all};
}
Call reduction(const char* name, MPI_Op operation, void* in, std::int64_t bytes) {
  return {name, operation, bytes, bytes, in, bytes};
}
Call spread(const char* name, MPI_Op operation, void* in, std::int64_t sent, std::int64_t received) {
  return {name, operation, sent, sent, in, received};
}

}  // namespace
}  // namespace stressbench::test::capture

using namespace stressbench::test::capture;

extern "C" {

int MPI_Barrier(MPI_Comm communicator) {
  return at_once({"Barrier", MPI_OP_NULL, 0, 0, nullptr, 0}, communicator, [&] { return PMPI_Barrier(communicator); });
}
int MPI_Ibarrier(MPI_Comm communicator, MPI_Request* request) {
  return started({"Barrier", MPI_OP_NULL, 0, 0, nullptr, 0}, communicator, request,
                 [&] { return PMPI_Ibarrier(communicator, request); });
}
int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm communicator) {
  return at_once(bcast(data, bytes_of(count, type), root, communicator), communicator,
                 [&] { return PMPI_Bcast(data, count, type, root, communicator); });
}
int MPI_Ibcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm communicator, MPI_Request* request) {
  return started(bcast(data, bytes_of(count, type), root, communicator), communicator, request,
                 [&] { return PMPI_Ibcast(data, count, type, root, communicator, request); });
}
int MPI_Gather(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count, MPI_Datatype in_type,
               int root, MPI_Comm communicator) {
  return at_once(gather(out, bytes_of(out_count, out_type), in, bytes_of(in_count, in_type), communicator),
                 communicator,
                 [&] { return PMPI_Gather(out, out_count, out_type, in, in_count, in_type, root, communicator); });
}
int MPI_Igather(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count, MPI_Datatype in_type,
                int root, MPI_Comm communicator, MPI_Request* request) {
  return started(
      gather(out, bytes_of(out_count, out_type), in, bytes_of(in_count, in_type), communicator), communicator, request,
      [&] { return PMPI_Igather(out, out_count, out_type, in, in_count, in_type, root, communicator, request); });
}
int MPI_Gatherv(const void* out, int out_count, MPI_Datatype out_type, void* in, const int in_counts[],
                const int in_offsets[], MPI_Datatype in_type, int root, MPI_Comm communicator) {
  return at_once(
      gatherv(out, bytes_of(out_count, out_type), in, in_counts, in_type, root, communicator), communicator,
      [&] { return PMPI_Gatherv(out, out_count, out_type, in, in_counts, in_offsets, in_type, root, communicator); });
}
int MPI_Igatherv(const void* out, int out_count, MPI_Datatype out_type, void* in, const int in_counts[],
                 const int in_offsets[], MPI_Datatype in_type, int root, MPI_Comm communicator, MPI_Request* request) {
  return started(gatherv(out, bytes_of(out_count, out_type), in, in_counts, in_type, root, communicator), communicator,
                 request, [&] {
                   return PMPI_Igatherv(out, out_count, out_type, in, in_counts, in_offsets, in_type, root,
                                        communicator, request);
                 });
}
int MPI_Scatter(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count, MPI_Datatype in_type,
                int root, MPI_Comm communicator) {
  return at_once(scatter(bytes_of(out_count, out_type), in, bytes_of(in_count, in_type), root, communicator),
                 communicator,
                 [&] { return PMPI_Scatter(out, out_count, out_type, in, in_count, in_type, root, communicator); });
}
int MPI_Iscatter(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count, MPI_Datatype in_type,
                 int root, MPI_Comm communicator, MPI_Request* request) {
  return started(scatter(bytes_of(out_count, out_type), in, bytes_of(in_count, in_type), root, communicator),
                 communicator, request, [&] {
                   return PMPI_Iscatter(out, out_count, out_type, in, in_count, in_type, root, communicator, request);
                 });
}
int MPI_Scatterv(const void* out, const int out_counts[], const int out_offsets[], MPI_Datatype out_type, void* in,
                 int in_count, MPI_Datatype in_type, int root, MPI_Comm communicator) {
  return at_once(
      scatterv(out_counts, out_type, in, bytes_of(in_count, in_type), root, communicator), communicator,
      [&] { return PMPI_Scatterv(out, out_counts, out_offsets, out_type, in, in_count, in_type, root, communicator); });
}
int MPI_Iscatterv(const void* out, const int out_counts[], const int out_offsets[], MPI_Datatype out_type, void* in,
                  int in_count, MPI_Datatype in_type, int root, MPI_Comm communicator, MPI_Request* request) {
  return started(scatterv(out_counts, out_type, in, bytes_of(in_count, in_type), root, communicator), communicator,
                 request, [&] {
                   return PMPI_Iscatterv(out, out_counts, out_offsets, out_type, in, in_count, in_type, root,
                                         communicator, request);
                 });
}
int MPI_Allgather(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count, MPI_Datatype in_type,
                  MPI_Comm communicator) {
  return at_once({"Allgather", MPI_OP_NULL, bytes_of(out_count, out_type), bytes_of(out_count, out_type), in,
                  bytes_of(in_count, in_type) * size_of(communicator)},
                 communicator,
                 [&] { return PMPI_Allgather(out, out_count, out_type, in, in_count, in_type, communicator); });
}
int MPI_Iallgather(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count, MPI_Datatype in_type,
                   MPI_Comm communicator, MPI_Request* request) {
  return started({"Allgather", MPI_OP_NULL, bytes_of(out_count, out_type), bytes_of(out_count, out_type), in,
                  bytes_of(in_count, in_type) * size_of(communicator)},
                 communicator, request, [&] {
                   return PMPI_Iallgather(out, out_count, out_type, in, in_count, in_type, communicator, request);
                 });
}
int MPI_Allgatherv(const void* out, int out_count, MPI_Datatype out_type, void* in, const int in_counts[],
                   const int in_offsets[], MPI_Datatype in_type, MPI_Comm communicator) {
  return at_once({"Allgatherv", MPI_OP_NULL, sum_of(in_counts, in_type, communicator), bytes_of(out_count, out_type),
                  in, sum_of(in_counts, in_type, communicator)},
                 communicator, [&] {
                   return PMPI_Allgatherv(out, out_count, out_type, in, in_counts, in_offsets, in_type, communicator);
                 });
}
int MPI_Iallgatherv(const void* out, int out_count, MPI_Datatype out_type, void* in, const int in_counts[],
                    const int in_offsets[], MPI_Datatype in_type, MPI_Comm communicator, MPI_Request* request) {
  return started({"Allgatherv", MPI_OP_NULL, sum_of(in_counts, in_type, communicator), bytes_of(out_count, out_type),
                  in, sum_of(in_counts, in_type, communicator)},
                 communicator, request, [&] {
                   return PMPI_Iallgatherv(out, out_count, out_type, in, in_counts, in_offsets, in_type, communicator,
                                           request);
                 });
}
int MPI_Alltoall(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count, MPI_Datatype in_type,
                 MPI_Comm communicator) {
  return at_once(alltoall(in, bytes_of(in_count, in_type), communicator), communicator,
                 [&] { return PMPI_Alltoall(out, out_count, out_type, in, in_count, in_type, communicator); });
}
int MPI_Ialltoall(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count, MPI_Datatype in_type,
                  MPI_Comm communicator, MPI_Request* request) {
  return started(alltoall(in, bytes_of(in_count, in_type), communicator), communicator, request, [&] {
    return PMPI_Ialltoall(out, out_count, out_type, in, in_count, in_type, communicator, request);
  });
}
int MPI_Alltoallv(const void* out, const int out_counts[], const int out_offsets[], MPI_Datatype out_type, void* in,
                  const int in_counts[], const int in_offsets[], MPI_Datatype in_type, MPI_Comm communicator) {
  return at_once(
      exchange(
          "Alltoallv",
          sum_of(out == MPI_IN_PLACE ? in_counts : out_counts, out == MPI_IN_PLACE ? in_type : out_type, communicator),
          in, sum_of(in_counts, in_type, communicator)),
      communicator, [&] {
        return PMPI_Alltoallv(out, out_counts, out_offsets, out_type, in, in_counts, in_offsets, in_type, communicator);
      });
}
int MPI_Ialltoallv(const void* out, const int out_counts[], const int out_offsets[], MPI_Datatype out_type, void* in,
                   const int in_counts[], const int in_offsets[], MPI_Datatype in_type, MPI_Comm communicator,
                   MPI_Request* request) {
  return started(exchange("Alltoallv",
                          sum_of(out == MPI_IN_PLACE ? in_counts : out_counts, out == MPI_IN_PLACE ? in_type : out_type,
                                 communicator),
                          in, sum_of(in_counts, in_type, communicator)),
                 communicator, request, [&] {
                   return PMPI_Ialltoallv(out, out_counts, out_offsets, out_type, in, in_counts, in_offsets, in_type,
                                          communicator, request);
                 });
}
int MPI_Alltoallw(const void* out, const int out_counts[], const int out_offsets[], const MPI_Datatype out_types[],
                  void* in, const int in_counts[], const int in_offsets[], const MPI_Datatype in_types[],
                  MPI_Comm communicator) {
  return at_once(exchange("Alltoallw",
                          out == MPI_IN_PLACE ? sum_of(in_counts, in_types, communicator)
                                              : sum_of(out_counts, out_types, communicator),
                          in, sum_of(in_counts, in_types, communicator)),
                 communicator, [&] {
                   return PMPI_Alltoallw(out, out_counts, out_offsets, out_types, in, in_counts, in_offsets, in_types,
                                         communicator);
                 });
}
int MPI_Ialltoallw(const void* out, const int out_counts[], const int out_offsets[], const MPI_Datatype out_types[],
                   void* in, const int in_counts[], const int in_offsets[], const MPI_Datatype in_types[],
                   MPI_Comm communicator, MPI_Request* request) {
  return started(exchange("Alltoallw",
                          out == MPI_IN_PLACE ? sum_of(in_counts, in_types, communicator)
                                              : sum_of(out_counts, out_types, communicator),
                          in, sum_of(in_counts, in_types, communicator)),
                 communicator, request, [&] {
                   return PMPI_Ialltoallw(out, out_counts, out_offsets, out_types, in, in_counts, in_offsets, in_types,
                                          communicator, request);
                 });
}
int MPI_Allreduce(const void* out, void* in, int count, MPI_Datatype type, MPI_Op operation, MPI_Comm communicator) {
  return at_once(reduction("Allreduce", operation, in, bytes_of(count, type)), communicator,
                 [&] { return PMPI_Allreduce(out, in, count, type, operation, communicator); });
}
int MPI_Iallreduce(const void* out, void* in, int count, MPI_Datatype type, MPI_Op operation, MPI_Comm communicator,
                   MPI_Request* request) {
  return started(reduction("Allreduce", operation, in, bytes_of(count, type)), communicator, request,
                 [&] { return PMPI_Iallreduce(out, in, count, type, operation, communicator, request); });
}
int MPI_Reduce(const void* out, void* in, int count, MPI_Datatype type, MPI_Op operation, int root,
               MPI_Comm communicator) {
  return at_once(reduction("Reduce", operation, rank_in(communicator) == root ? in : nullptr, bytes_of(count, type)),
                 communicator, [&] { return PMPI_Reduce(out, in, count, type, operation, root, communicator); });
}
int MPI_Ireduce(const void* out, void* in, int count, MPI_Datatype type, MPI_Op operation, int root,
                MPI_Comm communicator, MPI_Request* request) {
  return started(reduction("Reduce", operation, rank_in(communicator) == root ? in : nullptr, bytes_of(count, type)),
                 communicator, request,
                 [&] { return PMPI_Ireduce(out, in, count, type, operation, root, communicator, request); });
}
int MPI_Scan(const void* out, void* in, int count, MPI_Datatype type, MPI_Op operation, MPI_Comm communicator) {
  return at_once(reduction("Scan", operation, in, bytes_of(count, type)), communicator,
                 [&] { return PMPI_Scan(out, in, count, type, operation, communicator); });
}
int MPI_Iscan(const void* out, void* in, int count, MPI_Datatype type, MPI_Op operation, MPI_Comm communicator,
              MPI_Request* request) {
  return started(reduction("Scan", operation, in, bytes_of(count, type)), communicator, request,
                 [&] { return PMPI_Iscan(out, in, count, type, operation, communicator, request); });
}
int MPI_Exscan(const void* out, void* in, int count, MPI_Datatype type, MPI_Op operation, MPI_Comm communicator) {
  return at_once(reduction("Exscan", operation, rank_in(communicator) > 0 ? in : nullptr, bytes_of(count, type)),
                 communicator, [&] { return PMPI_Exscan(out, in, count, type, operation, communicator); });
}
int MPI_Iexscan(const void* out, void* in, int count, MPI_Datatype type, MPI_Op operation, MPI_Comm communicator,
                MPI_Request* request) {
  return started(reduction("Exscan", operation, rank_in(communicator) > 0 ? in : nullptr, bytes_of(count, type)),
                 communicator, request,
                 [&] { return PMPI_Iexscan(out, in, count, type, operation, communicator, request); });
}
int MPI_Reduce_scatter(const void* out, void* in, const int counts[], MPI_Datatype type, MPI_Op operation,
                       MPI_Comm communicator) {
  return at_once(spread("Reduce_scatter", operation, in, sum_of(counts, type, communicator),
                        bytes_of(counts[rank_in(communicator)], type)),
                 communicator, [&] { return PMPI_Reduce_scatter(out, in, counts, type, operation, communicator); });
}
int MPI_Ireduce_scatter(const void* out, void* in, const int counts[], MPI_Datatype type, MPI_Op operation,
                        MPI_Comm communicator, MPI_Request* request) {
  return started(spread("Reduce_scatter", operation, in, sum_of(counts, type, communicator),
                        bytes_of(counts[rank_in(communicator)], type)),
                 communicator, request,
                 [&] { return PMPI_Ireduce_scatter(out, in, counts, type, operation, communicator, request); });
}
int MPI_Reduce_scatter_block(const void* out, void* in, int count, MPI_Datatype type, MPI_Op operation,
                             MPI_Comm communicator) {
  return at_once(spread("Reduce_scatter_block", operation, in, bytes_of(count, type) * size_of(communicator),
                        bytes_of(count, type)),
                 communicator,
                 [&] { return PMPI_Reduce_scatter_block(out, in, count, type, operation, communicator); });
}
int MPI_Ireduce_scatter_block(const void* out, void* in, int count, MPI_Datatype type, MPI_Op operation,
                              MPI_Comm communicator, MPI_Request* request) {
  return started(spread("Reduce_scatter_block", operation, in, bytes_of(count, type) * size_of(communicator),
                        bytes_of(count, type)),
                 communicator, request,
                 [&] { return PMPI_Ireduce_scatter_block(out, in, count, type, operation, communicator, request); });
}
int MPI_Neighbor_allgather(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count,
                           MPI_Datatype in_type, MPI_Comm communicator) {
  return at_once({"Neighbor_allgather", MPI_OP_NULL, bytes_of(out_count, out_type), bytes_of(out_count, out_type), in,
                  bytes_of(in_count, in_type) * slots(communicator)},
                 communicator, [&] {
                   return PMPI_Neighbor_allgather(out, out_count, out_type, in, in_count, in_type, communicator);
                 });
}
int MPI_Ineighbor_allgather(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count,
                            MPI_Datatype in_type, MPI_Comm communicator, MPI_Request* request) {
  return started(
      {"Neighbor_allgather", MPI_OP_NULL, bytes_of(out_count, out_type), bytes_of(out_count, out_type), in,
       bytes_of(in_count, in_type) * slots(communicator)},
      communicator, request,
      [&] { return PMPI_Ineighbor_allgather(out, out_count, out_type, in, in_count, in_type, communicator, request); });
}
int MPI_Neighbor_allgatherv(const void* out, int out_count, MPI_Datatype out_type, void* in, const int in_counts[],
                            const int in_offsets[], MPI_Datatype in_type, MPI_Comm communicator) {
  return at_once({"Neighbor_allgatherv", MPI_OP_NULL, bytes_of(out_count, out_type), bytes_of(out_count, out_type), in,
                  to_neighbours(in_counts, in_type, communicator).all},
                 communicator, [&] {
                   return PMPI_Neighbor_allgatherv(out, out_count, out_type, in, in_counts, in_offsets, in_type,
                                                   communicator);
                 });
}
int MPI_Ineighbor_allgatherv(const void* out, int out_count, MPI_Datatype out_type, void* in, const int in_counts[],
                             const int in_offsets[], MPI_Datatype in_type, MPI_Comm communicator,
                             MPI_Request* request) {
  return started({"Neighbor_allgatherv", MPI_OP_NULL, bytes_of(out_count, out_type), bytes_of(out_count, out_type), in,
                  to_neighbours(in_counts, in_type, communicator).all},
                 communicator, request, [&] {
                   return PMPI_Ineighbor_allgatherv(out, out_count, out_type, in, in_counts, in_offsets, in_type,
                                                    communicator, request);
                 });
}
int MPI_Neighbor_alltoall(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count,
                          MPI_Datatype in_type, MPI_Comm communicator) {
  return at_once(
      {"Neighbor_alltoall", MPI_OP_NULL, bytes_of(out_count, out_type),
       bytes_of(out_count, out_type) * existing(communicator), in, bytes_of(in_count, in_type) * slots(communicator)},
      communicator,
      [&] { return PMPI_Neighbor_alltoall(out, out_count, out_type, in, in_count, in_type, communicator); });
}
int MPI_Ineighbor_alltoall(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count,
                           MPI_Datatype in_type, MPI_Comm communicator, MPI_Request* request) {
  return started(
      {"Neighbor_alltoall", MPI_OP_NULL, bytes_of(out_count, out_type),
       bytes_of(out_count, out_type) * existing(communicator), in, bytes_of(in_count, in_type) * slots(communicator)},
      communicator, request,
      [&] { return PMPI_Ineighbor_alltoall(out, out_count, out_type, in, in_count, in_type, communicator, request); });
}
int MPI_Neighbor_alltoallv(const void* out, const int out_counts[], const int out_offsets[], MPI_Datatype out_type,
                           void* in, const int in_counts[], const int in_offsets[], MPI_Datatype in_type,
                           MPI_Comm communicator) {
  return at_once(neighbour_exchange("Neighbor_alltoallv", to_neighbours(out_counts, out_type, communicator), in,
                                    to_neighbours(in_counts, in_type, communicator)),
                 communicator, [&] {
                   return PMPI_Neighbor_alltoallv(out, out_counts, out_offsets, out_type, in, in_counts, in_offsets,
                                                  in_type, communicator);
                 });
}
int MPI_Ineighbor_alltoallv(const void* out, const int out_counts[], const int out_offsets[], MPI_Datatype out_type,
                            void* in, const int in_counts[], const int in_offsets[], MPI_Datatype in_type,
                            MPI_Comm communicator, MPI_Request* request) {
  return started(neighbour_exchange("Neighbor_alltoallv", to_neighbours(out_counts, out_type, communicator), in,
                                    to_neighbours(in_counts, in_type, communicator)),
                 communicator, request, [&] {
                   return PMPI_Ineighbor_alltoallv(out, out_counts, out_offsets, out_type, in, in_counts, in_offsets,
                                                   in_type, communicator, request);
                 });
}
int MPI_Neighbor_alltoallw(const void* out, const int out_counts[], const MPI_Aint out_offsets[],
                           const MPI_Datatype out_types[], void* in, const int in_counts[], const MPI_Aint in_offsets[],
                           const MPI_Datatype in_types[], MPI_Comm communicator) {
  return at_once(neighbour_exchange("Neighbor_alltoallw", to_neighbours(out_counts, out_types, communicator), in,
                                    to_neighbours(in_counts, in_types, communicator)),
                 communicator, [&] {
                   return PMPI_Neighbor_alltoallw(out, out_counts, out_offsets, out_types, in, in_counts, in_offsets,
                                                  in_types, communicator);
                 });
}
int MPI_Ineighbor_alltoallw(const void* out, const int out_counts[], const MPI_Aint out_offsets[],
                            const MPI_Datatype out_types[], void* in, const int in_counts[],
                            const MPI_Aint in_offsets[], const MPI_Datatype in_types[], MPI_Comm communicator,
                            MPI_Request* request) {
  return started(neighbour_exchange("Neighbor_alltoallw", to_neighbours(out_counts, out_types, communicator), in,
                                    to_neighbours(in_counts, in_types, communicator)),
                 communicator, request, [&] {
                   return PMPI_Ineighbor_alltoallw(out, out_counts, out_offsets, out_types, in, in_counts, in_offsets,
                                                   in_types, communicator, request);
                 });
}

}  // extern "C"
