// pipeline_parallel: a training step in which each rank has some of the layers, and micro-batches pass through the
// ranks forward and backward (GPipe; PipeDream's 1F1B; docs/motifs/machine_learning.md).

#include "core/grid.hpp"
#include "motifs/machine_learning/training.hpp"

namespace stressbench {

enum class Schedule { one_f_one_b, gpipe };
template <>
struct Names<Schedule> {
  static constexpr std::array values{std::pair{std::string_view{"1f1b"}, Schedule::one_f_one_b},
                                     std::pair{std::string_view{"gpipe"}, Schedule::gpipe}};
};

namespace {

using calls::CallList;
using calls::Requests;

constexpr int activation_tag = 1;
constexpr int gradient_tag = 2;

class PipelineParallel final : public Training {
 protected:
  void check_ranks(int ranks) const override {
    check_hidden();
    if (layers() < ranks) reject("layers", "{} layers are too few for {} ranks", layers(), ranks);
    if (tokens() % *micro_batches_ != 0)
      reject("micro-batches", "{} does not divide {} tokens", *micro_batches_, tokens());
  }

  void write(CallList& calls) const override {
    Stage stage{calls, calls.requests(2), calls.requests(2), activation_bytes(tokens() / *micro_batches_),
                static_cast<double>(parameters()) / static_cast<double>(layers()) *
                    static_cast<double>(block_cells(layers(), calls.ranks(), calls.rank())) /
                    static_cast<double>(*micro_batches_)};
    const std::int64_t warm_up_batches =
        *schedule_ == Schedule::gpipe ? *micro_batches_
                                      : std::min<std::int64_t>(calls.ranks() - calls.rank() - 1, *micro_batches_);
    for (std::int64_t k = 0; k < warm_up_batches; ++k) forward(stage);
    for (std::int64_t k = warm_up_batches; k < *micro_batches_; ++k) {
      forward(stage);
      backward(stage);
    }
    for (std::int64_t k = 0; k < warm_up_batches; ++k) backward(stage);
    calls.wait_all(stage.forward_requests);
    calls.wait_all(stage.backward_requests);
  }

 private:
  // A rank in the pipeline. Sends are nonblocking, at most two in flight in each direction.
  struct Stage {
    CallList& calls;
    Requests forward_requests;
    Requests backward_requests;
    std::int64_t bytes;
    double parameters;  // of this rank's layers, divided by the number of micro-batches
    int sent_forward = 0;
    int sent_backward = 0;

    int previous_rank() const { return calls.rank() - 1; }
    int next_rank() const { return calls.rank() + 1 < calls.ranks() ? calls.rank() + 1 : -1; }
    void send(Requests requests, int& sent, int to, int tag) const {
      if (to < 0) return;
      if (sent >= 2) calls.wait(requests[sent % 2]);
      calls.isend(requests[sent % 2], to, tag, bytes);
      ++sent;
    }
  };

  void forward(Stage& stage) const {
    stage.calls.receive(stage.previous_rank(), activation_tag, stage.bytes);
    stage.calls.compute(forward_ns(stage.parameters));
    stage.send(stage.forward_requests, stage.sent_forward, stage.next_rank(), activation_tag);
  }
  void backward(Stage& stage) const {
    stage.calls.receive(stage.next_rank(), gradient_tag, stage.bytes);
    stage.calls.compute(backward_ns(stage.parameters));
    stage.send(stage.backward_requests, stage.sent_backward, stage.previous_rank(), gradient_tag);
  }

  Param<std::int64_t> micro_batches_{this,       "micro-batches",
                                     8,          "micro-batches into which the tokens of a step are divided",
                                     Positive{}, AtMost{100'000}};
  Param<Schedule> schedule_{
      this, "schedule", Schedule::one_f_one_b,
      "1f1b: one forward and one backward in turn as early as possible; gpipe: all forward, then all backward"};
};

const RegisterMotif<PipelineParallel> registered{"pipeline_parallel", Family::machine_learning,
                                                 "micro-batches through the ranks, forward and backward",
                                                 "GPipe (Huang et al. 2019); PipeDream (Narayanan et al., SOSP 2019)"};

}  // namespace
}  // namespace stressbench
