// parameter_server: a training step in which workers push their gradients to servers and pull the new weights from them
// (Li et al., OSDI 2014; docs/motifs/machine_learning.md).

#include "core/grid.hpp"
#include "motifs/machine_learning/training.hpp"

namespace stressbench {
namespace {

using calls::CallList;
using calls::Requests;

constexpr int push_tag = 1;
constexpr int pull_tag = 2;

class ParameterServer final : public Training {
 protected:
  void check_ranks(int ranks) const override {
    if (*servers_ >= ranks)
      reject("servers", "{} leave no worker among {} ranks; at most {}", *servers_, ranks, ranks - 1);
  }

  // The first ranks are the servers; each holds a part of every bucket.
  void write(CallList& calls) const override {
    const int servers = static_cast<int>(*servers_);
    const int workers = calls.ranks() - servers;
    const bool is_server = calls.rank() < servers;
    const Requests requests = calls.requests(is_server ? workers : servers);
    if (!is_server) {
      calls.compute(forward_ns(static_cast<double>(parameters())));
      calls.compute(backward_ns(static_cast<double>(parameters())));
    }
    const std::int64_t elements = std::max<std::int64_t>(bucket_->value / element_bytes(), 1);
    calls.repeat(parameters() / elements, [&] { exchange(calls, requests, elements, is_server, servers); });
    if (parameters() % elements > 0) exchange(calls, requests, parameters() % elements, is_server, servers);
  }

 private:
  void exchange(CallList& calls, Requests requests, std::int64_t elements, bool is_server, int servers) const {
    const auto bytes = [&](int server) { return block_cells(elements, servers, server) * element_bytes(); };
    const auto for_each_peer = [&](auto post) {
      for (int k = 0; k < requests.count; ++k) {
        const int peer = is_server ? servers + k : k;
        post(requests[k], peer, bytes(is_server ? calls.rank() : k));
      }
      calls.wait_all(requests);
    };
    for_each_peer([&](calls::Request request, int peer, std::int64_t size) {
      is_server ? calls.irecv(request, peer, push_tag, size) : calls.isend(request, peer, push_tag, size);
    });
    for_each_peer([&](calls::Request request, int peer, std::int64_t size) {
      is_server ? calls.isend(request, peer, pull_tag, size) : calls.irecv(request, peer, pull_tag, size);
    });
  }

  Param<std::int64_t> servers_{this, "servers", 1, "ranks that hold the weights", Positive{}, AtMost{int_max}};
  Param<Bytes> bucket_{this, "bucket", Bytes{25 << 20}, "gradients that are pushed in one message", Positive{}};
};

const RegisterMotif<ParameterServer> registered{"parameter_server", Family::machine_learning,
                                                "gradients to servers, new weights back", "Li et al., OSDI 2014"};

}  // namespace
}  // namespace stressbench
