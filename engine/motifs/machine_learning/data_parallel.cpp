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
      calls.allreduce(calls.all_ranks(), ReduceOp::sum, kind(), elements[k]);
      calls.nonblocking_last(request);
    }
    if (!*blocking_) calls.wait_all(in_flight);
  }

 private:
  // Elements of each bucket: the first is small, so that summing starts early.
  std::vector<std::int64_t> buckets() const {
    std::vector<std::int64_t> elements;
    std::int64_t next = std::max<std::int64_t>(std::min(*first_, *bucket_).value / width(), 1);
    for (std::int64_t left = parameters(); left > 0; left -= elements.back()) {
      elements.push_back(std::min(left, next));
      next = std::max<std::int64_t>(bucket_->value / width(), 1);
    }
    return elements;
  }

  void sum(CallList& calls, std::int64_t elements) const {
    switch (*algorithm_) {
      case Summation::allreduce:
        return calls.allreduce(calls.all_ranks(), ReduceOp::sum, kind(), elements);
      case Summation::reduce_scatter: {
        const std::int64_t share = (elements + calls.ranks() - 1) / calls.ranks();
        calls.reduce_scatter(calls.all_ranks(), ReduceOp::sum, kind(), share);
        return calls.allgather(calls.all_ranks(), kind(), share);
      }
      case Summation::ring:
        return ring(calls, elements);
      case Summation::tree:
        return tree(calls, elements * width());
    }
  }

  // Reduce-scatter, then all-gather, each in ranks - 1 steps. In each step a rank sends one part to the right and
  // receives another from the left.
  void ring(CallList& calls, std::int64_t elements) const {
    const int ranks = calls.ranks();
    const int right = (calls.rank() + 1) % ranks;
    const int left = (calls.rank() + ranks - 1) % ranks;
    const auto bytes = [&](int part) { return block_cells(elements, ranks, (part + 2 * ranks) % ranks) * width(); };
    for (int half = 0; half < 2; ++half) {
      for (int step = 0; step < ranks - 1; ++step) {
        const int sent = calls.rank() - step + half;
        calls.sendrecv(right, tag, bytes(sent), left, tag, bytes(sent - 1), bytes(sent - 1));
      }
    }
  }

  // Reduction and broadcast along a binomial tree with rank 0 as root.
  static void tree(CallList& calls, std::int64_t bytes) {
    const int rank = calls.rank();
    int bit = 1;
    std::vector<int> below;
    for (; bit < calls.ranks() && (rank & bit) == 0; bit <<= 1) {
      if (rank + bit < calls.ranks()) below.push_back(rank + bit);
    }
    const int above = rank == 0 ? -1 : rank - bit;
    for (const int child : below) calls.receive(child, tag, bytes);
    calls.send(above, tag, bytes);
    calls.receive(above, tag, bytes);
    for (std::size_t k = below.size(); k > 0; --k) calls.send(below[k - 1], tag, bytes);
  }

  Param<Bytes> bucket_{this, "bucket", Bytes{25 << 20}, "gradients that are summed in one operation", Positive{}};
  Param<Bytes> first_{this, "first-bucket", Bytes{1 << 20}, "size of the first bucket", Positive{}};
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
