// Whether ranks and network are simulated, and by which simulator.
#pragma once

#include <optional>
#include <string>

namespace stressbench {

struct Simulation {
  std::string simulator;    // "SimGrid 3.32"
  std::string description;  // platform and settings as JSON, written by the launcher; empty without it
};

// None if the program runs on real hosts.
std::optional<Simulation> simulation();

}  // namespace stressbench
