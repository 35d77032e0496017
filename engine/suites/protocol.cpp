#include "suites/protocol.hpp"

#include <fmt/format.h>

#include <iterator>
#include <string_view>

#include "core/enum_names.hpp"

namespace stressbench::beff {

std::string as_json_lines(const Protocol& protocol, int round) {
  std::string text;
  auto out = std::back_inserter(text);
  fmt::format_to(
      out,
      R"({{"type":"b_eff","version":1,"round":{},"ranks":{},"lmax_bytes":{},"memory_bytes":{},"random":"{}",)"
      R"("seed":{},"attempts":{},"sizes":[{}],"patterns":[)",
      round, protocol.ranks, protocol.lmax_bytes,
      protocol.memory_bytes > 0 ? std::to_string(protocol.memory_bytes) : "null", protocol.random, protocol.seed,
      protocol.attempts, fmt::join(protocol.sizes, ","));
  for (std::size_t i = 0; i < protocol.patterns.size(); ++i) {
    const ProtocolPattern& pattern = protocol.patterns[i];
    fmt::format_to(out, R"({}{{"kind":"{}","name":"{}","messages":{}}})", i == 0 ? "" : ",", name_of(pattern.kind),
                   pattern.name, pattern.messages);
  }
  text += "]}\n";
  for (const Loop& loop : protocol.loops) {
    const std::string_view method =
        loop.method < 0 ? "pingpong" : std::string_view(protocol.methods[static_cast<std::size_t>(loop.method)]);
    fmt::format_to(std::back_inserter(text),
                   R"({{"type":"loop","pattern":{},"size_bytes":{},"method":"{}","attempt":{},"loops":{},"time_s":{}}})"
                   "\n",
                   loop.pattern, protocol.sizes[static_cast<std::size_t>(loop.size)], method, loop.attempt, loop.loops,
                   loop.time_s);
  }
  fmt::format_to(std::back_inserter(text),
                 R"({{"type":"end","b_eff_bytes_per_s":{},"timed_s":{},"elapsed_s":{}}})"
                 "\n",
                 protocol.b_eff_bytes_per_s, protocol.timed_s, protocol.elapsed_s);
  return text;
}

}  // namespace stressbench::beff
