// What b_eff measured, loop by loop, and the file that keeps it (docs/how-to/beff.md): its number can be computed again
// from that alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stressbench::beff {

enum class Kind { ring, random, extra };

struct ProtocolPattern {
  Kind kind = Kind::ring;
  std::string name;
  std::int64_t messages = 0;  // of all ranks, in an iteration
};

// One timed loop. `method` is -1 for a ping-pong.
struct Loop {
  std::int32_t pattern = 0;
  std::int32_t size = 0;  // index
  std::int32_t method = 0;
  std::int32_t attempt = 0;
  std::int64_t loops = 0;
  double time_s = 0;  // the longest of the ranks
};

struct Protocol {
  int ranks = 0;
  std::int64_t lmax_bytes = 0;
  std::int64_t memory_bytes = 0;  // a rank; 0 where the longest message was given
  std::string random;
  std::uint64_t seed = 0;
  int attempts = 0;
  std::vector<std::int64_t> sizes;
  std::vector<std::string> methods;
  std::vector<ProtocolPattern> patterns;
  std::vector<Loop> loops;
  double elapsed_s = 0;
  double timed_s = 0;
  double b_eff_bytes_per_s = 0;
};

// Lines of JSON: `b_eff`, then a `loop` each, then `end`. `round` as in the run file.
std::string as_json_lines(const Protocol& protocol, int round);

}  // namespace stressbench::beff
