// Whether ranks and network are simulated, and by what.
#pragma once

#include <optional>
#include <string>

namespace stressbench {

struct Simulation {
  std::string simulator;    // "SimGrid 3.32"
  std::string description;  // what the launcher says of platform and settings: JSON, or empty
};

// None where the program runs on real hosts.
std::optional<Simulation> simulation();

}  // namespace stressbench
