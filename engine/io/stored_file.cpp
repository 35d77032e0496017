#include "io/stored_file.hpp"

#include <algorithm>
#include <cstring>

namespace stressbench::io {
namespace {

// Divides `bytes` at `offset` into pieces within one block each, and calls visit(block, offset in the block, piece).
template <class Byte, class Visit>
void for_each_block(std::int64_t offset, std::span<Byte> bytes, std::int64_t block_bytes, Visit visit) {
  while (!bytes.empty()) {
    const std::int64_t block_offset = offset % block_bytes;
    const auto length = std::min(static_cast<std::size_t>(block_bytes - block_offset), bytes.size());
    visit(offset / block_bytes, static_cast<std::size_t>(block_offset), bytes.first(length));
    bytes = bytes.subspan(length);
    offset += static_cast<std::int64_t>(length);
  }
}

}  // namespace

void StoredFile::write(std::int64_t offset, std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  for_each_block(offset, bytes, block_bytes,
                 [&](std::int64_t number, std::size_t block_offset, std::span<const std::byte> piece) {
                   auto& block = blocks_[number];
                   if (!block) block = std::make_unique<Block>();
                   std::memcpy(block->data() + block_offset, piece.data(), piece.size());
                 });
  add_range(offset, offset + static_cast<std::int64_t>(bytes.size()));
}

std::int64_t StoredFile::read(std::int64_t offset, std::span<std::byte> bytes) const {
  for_each_block(offset, bytes, block_bytes,
                 [&](std::int64_t number, std::size_t block_offset, std::span<std::byte> piece) {
                   const auto block = blocks_.find(number);
                   if (block == blocks_.end()) {
                     std::memset(piece.data(), 0, piece.size());
                   } else {
                     std::memcpy(piece.data(), block->second->data() + block_offset, piece.size());
                   }
                 });
  const auto length = static_cast<std::int64_t>(bytes.size());
  return length - written_bytes(offset, offset + length);
}

void StoredFile::add_range(std::int64_t begin, std::int64_t end) {
  auto next = written_.upper_bound(begin);
  if (next != written_.begin() && std::prev(next)->second >= begin) --next;
  while (next != written_.end() && next->first <= end) {  // merges adjacent and overlapping ranges
    begin = std::min(begin, next->first);
    end = std::max(end, next->second);
    next = written_.erase(next);
  }
  written_[begin] = end;
}

std::int64_t StoredFile::written_bytes(std::int64_t begin, std::int64_t end) const {
  auto range = written_.upper_bound(begin);
  if (range != written_.begin()) --range;
  std::int64_t sum = 0;
  for (; range != written_.end() && range->first < end; ++range) {
    sum += std::max<std::int64_t>(0, std::min(end, range->second) - std::max(begin, range->first));
  }
  return sum;
}

}  // namespace stressbench::io
