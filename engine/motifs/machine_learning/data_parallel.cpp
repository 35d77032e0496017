// data_parallel: a training step in which every rank has the whole model and gradients are summed in buckets during the
// backward pass (PyTorch DistributedDataParallel; docs/motifs/machine_learning.md).

#include <vector>

#include "core/grid.hpp"
#include "motifs/machine_learning/training.hpp"

namespace stressbench {

enum class Summation { allreduce, reduce_scatter, ring, tree };
template <>
struct Names<Summation> {
  static constexpr std::array values{std::pair{std::string_view{"allreduce"}, Summation::allreduce},
                                     std::pair{std::string_view{"reduce-scatter"}, Summation::reduce_scatter},
                                     std::pair{std::string_view{"ring"}, Summation::ring},
                                     std::pair{std::string_view{"tree"}, Summation::tree}};
};

namespace {

using calls::CallList;
using calls::ReduceOp;

constexpr int tag = 1;

class DataParallel final : public Training {
 protected:
  void check_ranks(int) const override {
    if (bucket_count() > max_buckets) {
      reject("bucket", "buckets of {} divide {} parameters into {}; at most {}", bucket_.text(), parameters(),
             bucket_count(), max_buckets);
    }
    if (*blocking_ || *algorithm_ == Summation::allreduce) return;
    reject("blocking", "--algorithm {} cannot run in the background; add --blocking", algorithm_.text());
  }

  void write(CallList& calls) const override {
    const std::vector<std::int64_t> elements = buckets();
    const calls::Requests in_flight = calls.requests(*blocking_ ? 0 : static_cast<int>(*in_flight_));
    calls.compute(forward_ns(static_cast<double>(parameters())));
    for (std::size_t k = 0; k < elements.size(); ++k) {
      calls.compute(backward_ns(static_cast<double>(elements[k])));
      if (*blocking_) {
        sum(calls, elements[k]);
        continue;
      }
      const calls::Request request = in_flight[static_cast<int>(k % static_cast<std::size_t>(in_flight.count))];
      if (k >= static_cast<std::size_t>(in_flight.count)) calls.wait(request);
      calls.allreduce(calls.all_ranks(), ReduceOp::sum, element_type(), elements[k]);
      calls.nonblocking_last(request);
    }
    if (!*blocking_) calls.wait_all(in_flight);
  }

 private:
  static constexpr std::int64_t max_buckets = 100'000;

  std::int64_t elements_in(Bytes bucket) const { return std::max<std::int64_t>(bucket.value / element_bytes(), 1); }
  std::int64_t first_elements() const {
    return std::min(parameters(), elements_in(std::min(*first_bucket_, *bucket_)));
  }
  std::int64_t bucket_count() const {
    const std::int64_t remaining = parameters() - first_elements();
    return 1 + remaining / elements_in(*bucket_) + (remaining % elements_in(*bucket_) > 0 ? 1 : 0);
  }

  // Elements of each bucket: the first is small, so that summing starts early.
  std::vector<std::int64_t> buckets() const {
    std::vector<std::int64_t> elements{first_elements()};
    for (std::int64_t remaining = parameters() - elements.back(); remaining > 0; remaining -= elements.back())
      elements.push_back(std::min(remaining, elements_in(*bucket_)));
    return elements;
  }

  void sum(CallList& calls, std::int64_t elements) const {
    switch (*algorithm_) {
      case Summation::allreduce:
        return calls.allreduce(calls.all_ranks(), ReduceOp::sum, element_type(), elements);
      case Summation::reduce_scatter: {
        const std::int64_t share = (elements + calls.ranks() - 1) / calls.ranks();
        calls.reduce_scatter(calls.all_ranks(), ReduceOp::sum, element_type(), share);
        return calls.allgather(calls.all_ranks(), element_type(), share);
      }
      case Summation::ring:
        return ring(calls, elements);
      case Summation::tree:
        return tree(calls, elements * element_bytes());
    }
  }

  // Reduce-scatter, then all-gather, each in ranks - 1 steps. In each step a rank sends one part to the right and
  // receives another from the left.
  void ring(CallList& calls, std::int64_t elements) const {
    const int ranks = calls.ranks();
    const int right = (calls.rank() + 1) % ranks;
    const int remaining = (calls.rank() + ranks - 1) % ranks;
    const auto bytes = [&](int part) {
      return block_cells(elements, ranks, (part + 2 * ranks) % ranks) * element_bytes();
    };
    for (int phase = 0; phase < 2; ++phase) {
      for (int step = 0; step < ranks - 1; ++step) {
        const int sent = calls.rank() - step + phase;
        calls.sendrecv(right, tag, bytes(sent), remaining, tag, bytes(sent - 1), bytes(sent - 1));
      }
    }
  }

  // Reduction and broadcast along a binomial tree with rank 0 as root.
  static void tree(CallList& calls, std::int64_t bytes) {
    const int rank = calls.rank();
    int bit = 1;
    std::vector<int> children;
    for (; bit < calls.ranks() && (rank & bit) == 0; bit <<= 1) {
      if (rank + bit < calls.ranks()) children.push_back(rank + bit);
    }
    const int parent = rank == 0 ? -1 : rank - bit;
    for (const int child : children) calls.receive(child, tag, bytes);
    calls.send(parent, tag, bytes);
    calls.receive(parent, tag, bytes);
    for (std::size_t k = children.size(); k > 0; --k) calls.send(children[k - 1], tag, bytes);
  }

  Param<Bytes> bucket_{this, "bucket", Bytes{25 << 20}, "gradients that are summed in one operation", Positive{}};
  Param<Bytes> first_bucket_{this, "first-bucket", Bytes{1 << 20}, "size of the first bucket", Positive{}};
  Param<Summation> algorithm_{
      this, "algorithm", Summation::allreduce,
      "MPI_Allreduce, MPI_Reduce_scatter_block and MPI_Allgather, or messages in a ring or tree"};
  Param<bool> blocking_{this, "blocking", "sum each bucket before the backward pass continues"};
  Param<std::int64_t> in_flight_{this, "in-flight", 4, "concurrent sums in the background", Positive{}, AtMost{1000}};
};

const RegisterMotif<DataParallel> registered{"data_parallel", Family::machine_learning,
                                             "gradients summed in buckets during the backward pass",
                                             "PyTorch DistributedDataParallel (Li et al., VLDB 2020)"};

}  // namespace
}  // namespace stressbench
