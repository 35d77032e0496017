// data_parallel: a training step in which every rank has the whole model and gradients are summed in buckets, while the
// backward pass goes on (PyTorch DistributedDataParallel; docs/motifs/machine_learning.md).
#include <fmt/format.h>

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

using calls::Combine;
using calls::Script;

constexpr int tag = 1;

class DataParallel final : public Training {
 protected:
  void check_ranks(int) const override {
    if (*blocking_ || *algorithm_ == Summation::allreduce) return;
    throw ParameterMistake("blocking", fmt::format("--blocking: --algorithm {} cannot go on in the background; add "
                                                   "--blocking",
                                                   algorithm_.text()));
  }

  void write(Script& script) const override {
    const std::vector<std::int64_t> elements = buckets();
    const calls::Requests in_flight = script.requests(*blocking_ ? 0 : static_cast<int>(*in_flight_));
    script.compute(forward_ns(static_cast<double>(parameters())));
    for (std::size_t k = 0; k < elements.size(); ++k) {
      script.compute(backward_ns(static_cast<double>(elements[k])));
      if (*blocking_) {
        sum(script, elements[k]);
        continue;
      }
      const calls::Request request = in_flight[static_cast<int>(k % static_cast<std::size_t>(in_flight.count))];
      if (k >= static_cast<std::size_t>(in_flight.count)) script.wait(request);
      script.allreduce(script.everybody(), Combine::sum, kind(), elements[k]);
      script.in_background(request);
    }
    if (!*blocking_) script.wait_all(in_flight);
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

  void sum(Script& script, std::int64_t elements) const {
    switch (*algorithm_) {
      case Summation::allreduce:
        return script.allreduce(script.everybody(), Combine::sum, kind(), elements);
      case Summation::reduce_scatter: {
        const std::int64_t share = (elements + script.ranks() - 1) / script.ranks();
        script.reduce_scatter(script.everybody(), Combine::sum, kind(), share);
        return script.allgather(script.everybody(), kind(), share);
      }
      case Summation::ring:
        return ring(script, elements);
      case Summation::tree:
        return tree(script, elements * width());
    }
  }

  // Reduce-scatter, then all-gather, each in ranks - 1 steps: a part goes to the right while another comes from the
  // left.
  void ring(Script& script, std::int64_t elements) const {
    const int ranks = script.ranks();
    const int right = (script.rank() + 1) % ranks;
    const int left = (script.rank() + ranks - 1) % ranks;
    const auto bytes = [&](int part) { return block_cells(elements, ranks, (part + 2 * ranks) % ranks) * width(); };
    for (int half = 0; half < 2; ++half) {
      for (int step = 0; step < ranks - 1; ++step) {
        const int sent = script.rank() - step + half;
        script.sendrecv(right, tag, bytes(sent), left, tag, bytes(sent - 1), bytes(sent - 1));
      }
    }
  }

  // A binomial tree up to rank 0 and down again.
  static void tree(Script& script, std::int64_t bytes) {
    const int rank = script.rank();
    int bit = 1;
    std::vector<int> below;
    for (; bit < script.ranks() && (rank & bit) == 0; bit <<= 1) {
      if (rank + bit < script.ranks()) below.push_back(rank + bit);
    }
    const int above = rank == 0 ? -1 : rank - bit;
    for (const int child : below) script.receive(child, tag, bytes);
    script.send(above, tag, bytes);
    script.receive(above, tag, bytes);
    for (std::size_t k = below.size(); k > 0; --k) script.send(below[k - 1], tag, bytes);
  }

  Param<Bytes> bucket_{this, '\0', "bucket", Bytes{25 << 20}, "gradients that are summed together", Positive{}};
  Param<Bytes> first_{this, '\0', "first-bucket", Bytes{1 << 20}, "size of the first of them", Positive{}};
  Param<Summation> algorithm_{
      this, '\0', "algorithm", Summation::allreduce,
      "MPI_Allreduce, MPI_Reduce_scatter_block and MPI_Allgather, or messages in a ring or tree"};
  Param<bool> blocking_{this, '\0', "blocking", "a bucket is summed before the backward pass goes on"};
  Param<std::int64_t> in_flight_{
      this, '\0', "in-flight", 4, "sums at a time in the background", Positive{}, AtMost<std::int64_t>{1000}};
};

const RegisterMotif<DataParallel> registered{"data_parallel", Family::machine_learning,
                                             "gradients summed in buckets while the backward pass goes on",
                                             "PyTorch DistributedDataParallel (Li et al., VLDB 2020)"};

}  // namespace
}  // namespace stressbench
