// moe: a training step of a mixture of experts distributed over the ranks: tokens are sent to their experts and back,
// in each layer once forward and once backward (GShard; docs/motifs/machine_learning.md).

#include <cmath>
#include <vector>

#include "motifs/machine_learning/training.hpp"

namespace stressbench {
namespace {

using calls::CallList;

class MixtureOfExperts final : public Training {
 protected:
  Traffic own_traffic(int ranks) const override {
    Traffic traffic = traffic_of_call_lists(1);  // computation is the same on all ranks
    const std::vector<std::int64_t> tokens = tokens_to(ranks);
    std::int64_t sent = 0;
    for (const std::int64_t count : tokens) sent += count;
    traffic.messages = traffic.message_bytes = 0;
    traffic.collectives = 4 * layers();
    traffic.collective_bytes = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      traffic.collective_bytes +=
          2 * layers() * activation_bytes(sent + ranks * tokens[static_cast<std::size_t>(rank)]);
    }
    return traffic;
  }

  void check_ranks(int) const override { check_hidden(); }

  void write(CallList& calls) const override {
    const std::vector<std::int64_t> tokens = tokens_to(calls.ranks());
    std::vector<std::int64_t> send_bytes;
    for (const std::int64_t count : tokens) send_bytes.push_back(activation_bytes(count));
    const std::vector<std::int64_t> receive_bytes(send_bytes.size(),
                                                  send_bytes[static_cast<std::size_t>(calls.rank())]);
    const double parameters_per_layer = static_cast<double>(parameters()) / static_cast<double>(layers());
    const auto layer = [&](double compute_ns) {
      calls.alltoallv(calls.all_ranks(), send_bytes, receive_bytes);
      calls.compute(compute_ns);
      calls.alltoallv(calls.all_ranks(), receive_bytes, send_bytes);
    };
    calls.repeat(layers(), [&] { layer(forward_ns(parameters_per_layer)); });
    calls.repeat(layers(), [&] { layer(backward_ns(parameters_per_layer)); });
  }

 private:
  // Tokens that every rank sends to each rank: shares fall as 1 / (rank + 1)^skew; tokens above the capacity are
  // dropped.
  std::vector<std::int64_t> tokens_to(int ranks) const {
    std::vector<double> shares(static_cast<std::size_t>(ranks));
    double sum = 0;
    for (int rank = 0; rank < ranks; ++rank)
      sum += shares[static_cast<std::size_t>(rank)] = std::pow(rank + 1, -*skew_);
    const auto copies = static_cast<double>(tokens() * *experts_per_token_);
    const double max_tokens = *capacity_ > 0 ? *capacity_ * copies / ranks : copies;
    std::vector<std::int64_t> tokens;
    for (const double rank_share : shares)
      tokens.push_back(std::llround(std::min(copies * rank_share / sum, max_tokens)));
    return tokens;
  }

  Param<std::int64_t> experts_per_token_{this, "top-k", 2, "experts that each token goes to", Positive{}, AtMost{1000}};
  Param<double> skew_{this, "skew", 0.0, "imbalance of the experts: shares fall as 1 / rank^skew", AtMost{10.0}};
  Param<double> capacity_{this, "capacity", 0.0,
                          "most tokens that an expert accepts, relative to an even share; 0: no limit", AtMost{1e6}};
};

const RegisterMotif<MixtureOfExperts> registered{"moe", Family::machine_learning,
                                                 "tokens to their experts and back, layer by layer",
                                                 "GShard (Lepikhin et al., ICLR 2021); Mixtral (Jiang et al. 2024)"};

}  // namespace
}  // namespace stressbench
