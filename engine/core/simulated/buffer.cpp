// Payload of simulated ranks. With `smpi/shared-malloc:global` (src/stressbench/launch/simgrid.py), SimGrid maps the
// same memory into all blocks that it allocates, and does not copy messages between them.
#include "core/buffer.hpp"

#include <smpi/smpi.h>

#include <cstring>
#include <new>

namespace stressbench {
namespace {

constexpr std::align_val_t page{4096};
constexpr int filling = 0x55;
constexpr std::size_t smallest_shared = 64 << 10;  // each block takes memory maps, of which a process has 65,530

}  // namespace

std::byte* allocate_pages(std::size_t size) {
  if (size >= smallest_shared) return static_cast<std::byte*>(SMPI_SHARED_MALLOC(size));
  auto* const memory = static_cast<std::byte*>(::operator new(size, page));
  std::memset(memory, filling, size);
  return memory;
}

void free_pages(std::byte* memory, std::size_t size) noexcept {
  if (size >= smallest_shared) {
    SMPI_SHARED_FREE(memory);
  } else {
    ::operator delete(memory, page);
  }
}

}  // namespace stressbench
