// Signs of life of this process, for who watches whether it is stuck.
#pragma once

#include <cstdint>

namespace stressbench::progress {

// Something new has begun: a round, a step, a part of a motif that takes long. One thread only calls this.
void moved() noexcept;
// How often. Any thread.
std::uint64_t moves() noexcept;

}  // namespace stressbench::progress
