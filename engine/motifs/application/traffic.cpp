// traffic: message sizes and calls of four codes of the US Department of Energy, as described by Pedretti et al., The
// Impact of Injection Bandwidth Performance on Application Scalability, section 3.1 (docs/motifs/traffic.md).

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "calls/rank_grid.hpp"
#include "motifs/application/application.hpp"

namespace stressbench {

enum class Code { cth, sage, xnobel, charon };

namespace {

using calls::Border;
using calls::CallList;
using calls::ElementType;
using calls::ReduceOp;
using calls::Requests;

constexpr std::int64_t kib = 1024;

// The exchange of a code: in each phase all messages to every partner, and the reductions after the last phase.
struct ExchangePattern {
  std::int64_t smallest;  // bytes; the sizes of a partner's messages grow by a constant factor
  std::int64_t largest;
  int messages;    // per partner and phase
  int reductions;  // of one double
  bool overlaps;   // computes while messages are in flight
};
constexpr std::array<ExchangePattern, 4> exchange_patterns{{{4096 * kib, 4096 * kib, 1, 1, false},
                                                            {256 * kib, 1024 * kib, 2, 1, false},
                                                            {32, 256 * kib, 6, 1, true},
                                                            {128, 1024, 4, 2, false}}};

using Partners = std::vector<int>;

// The adjacent ranks in a mesh of ranks, offset in at most `max_offset_dimensions` dimensions.
Partners mesh_neighbours(const CallList& calls, int dimensions, int max_offset_dimensions) {
  Dims<3> dims{{1, 1, 1}};
  std::ranges::copy(balanced_dims(calls.ranks(), dimensions), dims.sides.begin());
  const calls::RankGrid<3> grid(dims, calls.rank());
  Partners partners;
  for (int z = -1; z <= 1; ++z) {
    for (int y = -1; y <= 1; ++y) {
      for (int x = -1; x <= 1; ++x) {
        const int offset_dimensions = std::abs(x) + std::abs(y) + std::abs(z);
        const int other = grid.neighbour({x, y, z}, Border::closed);
        if (offset_dimensions > 0 && offset_dimensions <= max_offset_dimensions && other >= 0)
          partners.push_back(other);
      }
    }
  }
  return partners;
}

// The two neighbours along one axis of a 3-D mesh of ranks.
Partners axis_neighbours(const CallList& calls, std::size_t axis) {
  const calls::RankGrid<3> grid(dims_for(Dims<3>{}, calls.ranks()), calls.rank());
  Partners partners{grid.neighbour(axis, -1, Border::closed), grid.neighbour(axis, 1, Border::closed)};
  std::erase(partners, -1);
  return partners;
}

// The ranks up to `distance` away on both sides, in a ring of all ranks.
Partners ring_neighbours(const CallList& calls, int distance) {
  Partners partners;
  for (int offset = 1; offset <= distance; ++offset) {
    for (const int other : {calls.rank() - offset, calls.rank() + offset}) {
      const int wrapped = ((other % calls.ranks()) + calls.ranks()) % calls.ranks();
      if (wrapped != calls.rank() && std::ranges::find(partners, wrapped) == partners.end())
        partners.push_back(wrapped);
    }
  }
  return partners;
}

class TrafficLike final : public Application {
 protected:
  void check_ranks(int ranks) const override {
    if (ranks < 2) reject("", "traffic needs 2 ranks or more, but the job has {}", ranks);
    if (largest() < smallest()) reject("largest", "{} bytes are fewer than the smallest, {}", largest(), smallest());
  }

  void write(CallList& calls) const override {
    const std::vector<Partners> phases = phases_of(calls);
    const double work_ns = static_cast<double>(work_->value) / static_cast<double>(phases.size());
    for (const Partners& partners : phases) {
      const Requests requests = post(calls, partners);
      if (pattern().overlaps) calls.compute(work_ns);
      calls.wait_all(requests);
      if (!pattern().overlaps) calls.compute(work_ns);
    }
    for (int k = 0; k < pattern().reductions; ++k) {
      calls.allreduce(calls.all_ranks(), k == 0 ? ReduceOp::min : ReduceOp::sum, ElementType::doubles, 1);
    }
  }

 private:
  const ExchangePattern& pattern() const { return exchange_patterns[static_cast<std::size_t>(*code_)]; }
  std::int64_t smallest() const { return smallest_.was_given() ? smallest_->value : pattern().smallest; }
  std::int64_t largest() const { return largest_.was_given() ? largest_->value : pattern().largest; }

  std::vector<Partners> phases_of(const CallList& calls) const {
    switch (*code_) {
      case Code::cth:  // a rectangular 3-D mesh, axis after axis
        return {axis_neighbours(calls, 0), axis_neighbours(calls, 1), axis_neighbours(calls, 2)};
      case Code::sage:  // gather and scatter
        return {ring_neighbours(calls, 2), ring_neighbours(calls, 2)};
      case Code::xnobel:  // a 2-D mesh
        return {mesh_neighbours(calls, 2, 1)};
      case Code::charon:  // finite elements on a 2-D mesh
        return {mesh_neighbours(calls, 2, 2)};
    }
    return {};
  }

  std::int64_t message_bytes(int message) const {
    const int last = pattern().messages - 1;
    if (last == 0) return largest();
    const double growth = static_cast<double>(largest()) / static_cast<double>(smallest());
    return std::llround(static_cast<double>(smallest()) * std::pow(growth, static_cast<double>(message) / last));
  }

  Requests post(CallList& calls, const Partners& partners) const {
    const int messages_per_partner = pattern().messages;
    const Requests requests = calls.requests(2 * messages_per_partner * static_cast<int>(partners.size()));
    int k = 0;
    for (const int partner : partners) {
      for (int message = 0; message < messages_per_partner; ++message) {
        calls.irecv(requests[k++], partner, message, message_bytes(message));
      }
    }
    for (const int partner : partners) {
      for (int message = 0; message < messages_per_partner; ++message) {
        calls.isend(requests[k++], partner, message, message_bytes(message));
      }
    }
    return requests;
  }

  Param<Code> code_{this, "like", Code::cth, "application whose traffic is sent"};
  Param<Bytes> smallest_{this, "smallest", Bytes{0}, "smallest message to a partner (default: that of the application)",
                         Positive{}};
  Param<Bytes> largest_{this, "largest", Bytes{0}, "largest message to a partner (default: that of the application)",
                        Positive{}};
  Param<Nanoseconds> work_{this, "work", Nanoseconds{1'000'000}, "computation per iteration"};
};

const RegisterMotif<TrafficLike> registered{"traffic", Family::application,
                                            "messages like those of CTH, SAGE, xNOBEL or Charon",
                                            "Pedretti et al., injection bandwidth"};

}  // namespace
}  // namespace stressbench
