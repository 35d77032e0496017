// The MPI calls of motifs as lines of a trace file (docs/trace-format.md), as if a program that makes them had been
// captured, but without times. Needs neither MPI nor the other ranks.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "calls/call_list.hpp"

namespace stressbench::output {

std::string trace_header_line(const std::string& program, int ranks);
std::string trace_end_line(int ranks);

// The members of the communicators that the ranks of a motif get from CallList::split, in rank order.
class SplitMembers {
 public:
  // Must be called for each rank, from 0 on.
  void add(const calls::CallList& calls);
  // World ranks of the communicator with this colour that the k-th split creates, counted from 0.
  const std::vector<int>& of(std::size_t k, int colour) const { return members_.at({k, colour}); }

 private:
  std::map<std::pair<std::size_t, int>, std::vector<int>> members_;
};

// Collects the sequence of one rank, and writes its line.
class RankSequence {
 public:
  // A call, or several in a row that may be repeated.
  struct Part {
    std::int64_t symbol = 0;  // as in a rule of the trace
  };
  struct Item {
    Part part;
    std::int64_t times = 1;
  };

  // Whether computation is left out, or a call `Compute` of the sequence.
  enum class Computations { left_out, as_calls };

  RankSequence(int rank, int ranks, Computations computations = Computations::left_out);

  // The calls of one iteration of a motif. `scale`: factor on the times of its computation.
  Part add(const calls::CallList& calls, const SplitMembers& members, double scale = 1.0);
  // Several parts, one after the other.
  Part add(const std::vector<Item>& items);

  // The line of the rank if it makes these calls and no others.
  std::string line(Part whole) const;

 private:
  using Json = nlohmann::ordered_json;
  struct DistinctCall {
    Json fields;
    std::vector<std::pair<int, std::int64_t>> messages = {};  // that it sends: destination, bytes
    bool follows_test = false;                                // a wait after a test that found nothing
    double computed_ns = 0;                                   // of a computation
  };
  class Writer;

  std::int64_t number_of(DistinctCall call);
  std::vector<std::int64_t> executions(Part whole) const;  // by call

  int rank_;
  int ranks_;
  Computations computations_;
  int request_slots_ = 0;
  std::vector<Json> comms_;
  std::vector<DistinctCall> calls_;
  std::unordered_map<std::string, std::int64_t> numbers_;  // of calls, by their fields
  std::vector<std::vector<Item>> rules_;                   // rule k + 1 of the trace; contains only earlier ones
};

}  // namespace stressbench::output
