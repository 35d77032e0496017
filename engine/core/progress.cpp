#include "core/progress.hpp"

#include <atomic>

namespace stressbench::progress {
namespace {

std::atomic<std::uint64_t> count{0};

}  // namespace

// Only one thread writes, so no locked instruction is needed.
void advance() noexcept { count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
std::uint64_t counter() noexcept { return count.load(std::memory_order_relaxed); }

}  // namespace stressbench::progress
