// fsdp: a training step in which parameters, gradients and the optimiser's state are sharded over the ranks: weights
// are gathered for each layer, gradients reduced to their owners (ZeRO; PyTorch FSDP; docs/motifs/machine_learning.md).
#include "motifs/machine_learning/training.hpp"

namespace stressbench {
namespace {

using calls::CallList;
using calls::ReduceOp;
using calls::Requests;

class Fsdp final : public Training {
 protected:
  void write(CallList& calls) const override {
    const Requests gathers = calls.requests(2);
    const Requests sums = calls.requests(2);
    const bool gathers_weights = *stage_ == 3;
    if (gathers_weights) gather(calls, gathers, 0);
    for (std::int64_t layer = 0; layer < layers(); ++layer) {
      if (gathers_weights) {
        if (layer + 1 < layers()) gather(calls, gathers, layer + 1);
        calls.wait(request_of(gathers, layer));
      }
      calls.compute(forward_ns(static_cast<double>(layer_parameters(layer))));
    }
    backward(calls, gathers, sums);
    if (gathers_weights) return;
    // Gathers the weights after their owners have updated them.
    for (std::int64_t layer = 0; layer < layers(); ++layer) {
      if (layer >= 2) calls.wait(request_of(gathers, layer));
      gather(calls, gathers, layer);
    }
    calls.wait_all(gathers);
  }

 private:
  void backward(CallList& calls, Requests gathers, Requests sums) const {
    if (*stage_ == 3) gather(calls, gathers, layers() - 1);
    for (std::int64_t layer = layers() - 1; layer >= 0; --layer) {
      if (*stage_ == 3) {
        if (layer > 0) gather(calls, gathers, layer - 1);
        calls.wait(request_of(gathers, layer));
      }
      calls.compute(backward_ns(static_cast<double>(layer_parameters(layer))));
      if (*stage_ >= 2) reduce(calls, sums, layer);
    }
    for (std::int64_t layer = layers() - 1; *stage_ == 1 && layer >= 0; --layer) reduce(calls, sums, layer);
    calls.wait_all(sums);
  }

  static calls::Request request_of(Requests requests, std::int64_t layer) {
    return requests[static_cast<int>(layer % 2)];
  }
  // All shards have the same size: the last one is padded.
  std::int64_t shard_elements(const CallList& calls, std::int64_t layer) const {
    return (layer_parameters(layer) + calls.ranks() - 1) / calls.ranks();
  }
  void gather(CallList& calls, Requests gathers, std::int64_t layer) const {
    calls.allgather(calls.all_ranks(), element_type(), shard_elements(calls, layer));
    calls.nonblocking_last(request_of(gathers, layer));
  }
  void reduce(CallList& calls, Requests sums, std::int64_t layer) const {
    if (layer + 2 < layers()) calls.wait(request_of(sums, layer));
    calls.reduce_scatter(calls.all_ranks(), ReduceOp::sum, element_type(), shard_elements(calls, layer));
    calls.nonblocking_last(request_of(sums, layer));
  }

  Param<std::int64_t> stage_{this,       "stage",
                             3,          "what is sharded: 1 the optimiser's state, 2 also gradients, 3 also weights",
                             Positive{}, AtMost{3}};
};

const RegisterMotif<Fsdp> registered{"fsdp", Family::machine_learning,
                                     "weights gathered and gradients reduced, layer by layer",
                                     "ZeRO (Rajbhandari et al., SC20); PyTorch FSDP (Zhao et al., VLDB 2023)"};

}  // namespace
}  // namespace stressbench
