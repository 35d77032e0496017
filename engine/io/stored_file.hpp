// The parts of a file that this process wrote, in memory; holes take no memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>

namespace stressbench::io {

class StoredFile {
 public:
  void write(std::int64_t offset, std::span<const std::byte> bytes);
  // Reads zeros where nothing was written. Returns the number of such bytes.
  std::int64_t read(std::int64_t offset, std::span<std::byte> bytes) const;
  std::int64_t size() const noexcept { return written_.empty() ? 0 : written_.rbegin()->second; }

 private:
  static constexpr std::size_t block_bytes = 64 << 10;
  using Block = std::array<std::byte, block_bytes>;
  void add_range(std::int64_t begin, std::int64_t end);
  std::int64_t written_bytes(std::int64_t begin, std::int64_t end) const;

  std::map<std::int64_t, std::unique_ptr<Block>> blocks_;  // by offset / block_bytes
  std::map<std::int64_t, std::int64_t> written_;           // begin to end of disjoint ranges
};

}  // namespace stressbench::io
