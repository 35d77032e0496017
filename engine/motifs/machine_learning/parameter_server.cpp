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
    const bool serves = calls.rank() < servers;
    const Requests requests = calls.requests(serves ? workers : servers);
    if (!serves) {
      calls.compute(forward_ns(static_cast<double>(parameters())));
      calls.compute(backward_ns(static_cast<double>(parameters())));
    }
    const std::int64_t elements = std::max<std::int64_t>(bucket_->value / width(), 1);
    calls.repeat(parameters() / elements, [&] { exchange(calls, requests, elements, serves, servers); });
    if (parameters() % elements > 0) exchange(calls, requests, parameters() % elements, serves, servers);
  }

 private:
  void exchange(CallList& calls, Requests requests, std::int64_t elements, bool serves, int servers) const {
    const auto bytes = [&](int server) { return block_cells(elements, servers, server) * width(); };
    const auto each = [&](auto post) {
      for (int k = 0; k < requests.count; ++k) {
        const int peer = serves ? servers + k : k;
        post(requests[k], peer, bytes(serves ? calls.rank() : k));
      }
      calls.wait_all(requests);
    };
    each([&](calls::Request request, int peer, std::int64_t size) {
      serves ? calls.irecv(request, peer, push_tag, size) : calls.isend(request, peer, push_tag, size);
    });
    each([&](calls::Request request, int peer, std::int64_t size) {
      serves ? calls.isend(request, peer, pull_tag, size) : calls.irecv(request, peer, pull_tag, size);
    });
  }

  Param<std::int64_t> servers_{this, "servers", 1, "ranks that hold the weights", Positive{}, AtMost{int_max}};
  Param<Bytes> bucket_{this, "bucket", Bytes{25 << 20}, "gradients that are pushed in one message", Positive{}};
};

const RegisterMotif<ParameterServer> registered{"parameter_server", Family::machine_learning,
                                                "gradients to servers, new weights back", "Li et al., OSDI 2014"};

}  // namespace
}  // namespace stressbench
