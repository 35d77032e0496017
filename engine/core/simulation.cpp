#include "core/simulation.hpp"

namespace stressbench {

std::optional<Simulation> simulation() { return std::nullopt; }

}  // namespace stressbench
