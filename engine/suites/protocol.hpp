// The measurements of b_eff, loop by loop, and the file that contains them (docs/how-to/beff.md). The file suffices to
// compute the result again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stressbench::beff {

enum class Kind { ring, random, extra };

struct ProtocolPattern {
  Kind kind = Kind::ring;
  std::string name;
  std::int64_t messages = 0;  // of all ranks, per iteration
};

// One timed loop. `method` is -1 for a ping-pong.
struct Loop {
  std::int32_t pattern = 0;
  std::int32_t size = 0;  // index
  std::int32_t method = 0;
  std::int32_t attempt = 0;
  std::int64_t loops = 0;
  double time_s = 0;  // maximum over the ranks
};

struct Protocol {
  int ranks = 0;
  std::int64_t lmax_bytes = 0;
  std::int64_t memory_bytes = 0;  // per rank; 0 if the longest message was given
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

// JSON Lines: `b_eff`, one `loop` for each timed loop, `end`. `round`: as in the run file.
std::string as_json_lines(const Protocol& protocol, int round);

}  // namespace stressbench::beff
