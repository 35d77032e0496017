#include "core/buffer.hpp"

#include <cstring>
#include <new>

namespace stressbench {
namespace {

constexpr std::align_val_t page{4096};
constexpr int filling = 0x55;

}  // namespace

std::byte* allocate_pages(std::size_t size) {
  auto* const memory = static_cast<std::byte*>(::operator new(size, page));
  std::memset(memory, filling, size);
  return memory;
}

void free_pages(std::byte* memory, std::size_t) noexcept { ::operator delete(memory, page); }

}  // namespace stressbench
