// tensor_parallel: a training step in which each layer's matrices are divided among the ranks of a group, which sum
// their results twice per layer, forward and backward (Megatron-LM; docs/motifs/machine_learning.md).

#include "motifs/machine_learning/training.hpp"

namespace stressbench {
namespace {

using calls::CallList;
using calls::CommunicatorRef;
using calls::ReduceOp;

constexpr int sums_per_layer = 2;  // attention and feed-forward

class TensorParallel final : public Training {
 protected:
  void check_ranks(int ranks) const override {
    check_hidden();
    if (ranks % degree(ranks) != 0) reject("degree", "{} does not divide {} ranks", *degree_, ranks);
    if (*sequence_ && tokens() % degree(ranks) != 0)
      reject("tokens", "{} are not divided by a group of {} ranks", tokens(), degree(ranks));
  }

  void write(CallList& calls) const override {
    const int size = degree(calls.ranks());
    const CommunicatorRef group = calls.split(calls.rank() / size, calls.rank() % size, size);
    const double parameters_per_sum =
        static_cast<double>(parameters()) / static_cast<double>(layers()) / sums_per_layer / size;
    calls.repeat(layers() * sums_per_layer, [&] {
      calls.compute(forward_ns(parameters_per_sum));
      sum(calls, group);
    });
    calls.repeat(layers() * sums_per_layer, [&] {
      calls.compute(backward_ns(parameters_per_sum));
      sum(calls, group);
    });
  }

 private:
  int degree(int ranks) const { return *degree_ == 0 ? ranks : static_cast<int>(*degree_); }

  void sum(CallList& calls, const CommunicatorRef& group) const {
    const std::int64_t elements = tokens() * hidden();
    if (!*sequence_) return calls.allreduce(group, ReduceOp::sum, element_type(), elements);
    calls.reduce_scatter(group, ReduceOp::sum, element_type(), elements / group.size);
    calls.allgather(group, element_type(), elements / group.size);
  }

  Param<std::int64_t> degree_{this, "degree", 0, "consecutive ranks that form a group; 0: all", AtMost{int_max}};
  Param<bool> sequence_{this, "sequence-parallel",
                        "replace each sum by a reduce-scatter and an all-gather, with tokens divided in between"};
};

const RegisterMotif<TensorParallel> registered{"tensor_parallel", Family::machine_learning,
                                               "activations summed twice per layer, forward and backward",
                                               "Megatron-LM (Shoeybi et al. 2019; Korthikanti et al. 2022)"};

}  // namespace
}  // namespace stressbench
