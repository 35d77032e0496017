// fsdp: a training step in which parameters, gradients and the optimiser's state are sharded over the ranks: weights
// are gathered for each layer, gradients reduced to their owners (ZeRO; PyTorch FSDP; docs/motifs/machine_learning.md).
#include "motifs/machine_learning/training.hpp"

namespace stressbench {
namespace {

using calls::Combine;
using calls::Requests;
using calls::Script;

class Fsdp final : public Training {
 protected:
  void write(Script& script) const override {
    const Requests gathers = script.requests(2);
    const Requests sums = script.requests(2);
    const bool gathers_weights = *stage_ == 3;
    if (gathers_weights) gather(script, gathers, 0);
    for (std::int64_t layer = 0; layer < layers(); ++layer) {
      if (gathers_weights) {
        if (layer + 1 < layers()) gather(script, gathers, layer + 1);
        script.wait(place(gathers, layer));
      }
      script.compute(forward_ns(static_cast<double>(layer_parameters(layer))));
    }
    backward(script, gathers, sums);
    if (gathers_weights) return;
    // The owners have updated their shards.
    for (std::int64_t layer = 0; layer < layers(); ++layer) {
      if (layer >= 2) script.wait(place(gathers, layer));
      gather(script, gathers, layer);
    }
    script.wait_all(gathers);
  }

 private:
  void backward(Script& script, Requests gathers, Requests sums) const {
    if (*stage_ == 3) gather(script, gathers, layers() - 1);
    for (std::int64_t layer = layers() - 1; layer >= 0; --layer) {
      if (*stage_ == 3) {
        if (layer > 0) gather(script, gathers, layer - 1);
        script.wait(place(gathers, layer));
      }
      script.compute(backward_ns(static_cast<double>(layer_parameters(layer))));
      if (*stage_ >= 2) reduce(script, sums, layer);
    }
    for (std::int64_t layer = layers() - 1; *stage_ == 1 && layer >= 0; --layer) reduce(script, sums, layer);
    script.wait_all(sums);
  }

  static calls::Request place(Requests requests, std::int64_t layer) { return requests[static_cast<int>(layer % 2)]; }
  // Shards are equal: the last one is filled up.
  std::int64_t share(const Script& script, std::int64_t layer) const {
    return (layer_parameters(layer) + script.ranks() - 1) / script.ranks();
  }
  void gather(Script& script, Requests gathers, std::int64_t layer) const {
    script.allgather(script.everybody(), kind(), share(script, layer));
    script.in_background(place(gathers, layer));
  }
  void reduce(Script& script, Requests sums, std::int64_t layer) const {
    if (layer + 2 < layers()) script.wait(place(sums, layer));
    script.reduce_scatter(script.everybody(), Combine::sum, kind(), share(script, layer));
    script.in_background(place(sums, layer));
  }

  Param<std::int64_t> stage_{this,
                             '\0',
                             "stage",
                             3,
                             "what is sharded: 1 the optimiser's state, 2 gradients too, 3 weights too",
                             Positive{},
                             AtMost<std::int64_t>{3}};
};

const RegisterMotif<Fsdp> registered{"fsdp", Family::machine_learning,
                                     "weights gathered and gradients reduced, layer by layer",
                                     "ZeRO (Rajbhandari et al., SC20); PyTorch FSDP (Zhao et al., VLDB 2023)"};

}  // namespace
}  // namespace stressbench
