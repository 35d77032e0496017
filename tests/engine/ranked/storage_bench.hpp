// A backend on the ranks of a launch, used as by the storage motifs, and files in which every byte depends on its
// offset.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "io/backend.hpp"
#include "io/load.hpp"

namespace stressbench::test {

using Settings = std::vector<std::pair<std::string, std::string>>;  // long name, text; "" for a flag

inline std::byte byte_at(std::int64_t offset) { return static_cast<std::byte>((offset * 7 + offset / 256 * 13) % 251); }
inline std::vector<std::byte> bytes_at(std::int64_t offset, std::int64_t size) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(size));
  for (std::int64_t k = 0; k < size; ++k) bytes[static_cast<std::size_t>(k)] = byte_at(offset + k);
  return bytes;
}

inline bool has_backend(const std::string& name) {
  io::load_backends();
  return std::ranges::any_of(io::backends(), [&](const auto& entry) { return entry.name == name; });
}

class BackendBench final : public ParameterSet {
 public:
  BackendBench(const std::string& name, const Settings& settings) {
    const auto entry = std::ranges::find(io::backends(), name, &io::BackendEntry::name);
    backend_ = entry->make(*this);
    for (const auto& [option, text] : settings) find(option)->parse(text);
  }
  io::Backend* operator->() const { return backend_.get(); }
  io::Backend& operator*() const { return *backend_; }
  // Destroys the backend, as the destructor of a motif does.
  void destroy() { backend_.reset(); }

 private:
  std::unique_ptr<io::Backend> backend_;
};

// Blocks of the ranks alternate: block k of rank r is at (k * ranks + r) * length.
struct Strided {
  const mpi::Group& ranks;
  std::int64_t length = 1000;
  int blocks = 6;

  std::int64_t file_bytes() const { return ranks.size() * blocks * length; }
  std::int64_t offset(int block) const {
    return (static_cast<std::int64_t>(block) * ranks.size() + ranks.rank()) * length;
  }
  io::Opening opening(const std::string& path, io::Access access) const {
    return {path, access, &ranks, file_bytes(), length};
  }
};

// Writes the blocks of this rank. Throws what the backend throws.
inline void write_all(io::Backend& backend, const Strided& part, const std::string& path) {
  const auto opening = part.opening(path, io::Access::write);
  backend.prepare(opening);
  backend.open(opening);
  std::vector<std::vector<std::byte>> memory;
  for (int k = 0; k < part.blocks; ++k) memory.push_back(bytes_at(part.offset(k), part.length));
  for (int k = 0; k < part.blocks; ++k) {
    backend.write(part.offset(k), memory[static_cast<std::size_t>(k)]);
    if ((k + 1) % backend.in_flight() == 0) backend.wait();
  }
  backend.wait();
  backend.sync();
  backend.close();
}

// Reads the blocks of this rank, one after the other.
inline std::vector<std::byte> read_all(io::Backend& backend, const Strided& part, const std::string& path) {
  const auto opening = part.opening(path, io::Access::read);
  backend.prepare(opening);
  backend.open(opening);
  std::vector<std::byte> memory(static_cast<std::size_t>(part.blocks * part.length));
  for (int k = 0; k < part.blocks; ++k) {
    const auto length = static_cast<std::size_t>(part.length);
    backend.read(part.offset(k), std::span(memory).subspan(static_cast<std::size_t>(k) * length, length));
    if ((k + 1) % backend.in_flight() == 0) backend.wait();
  }
  backend.wait();
  backend.close();
  return memory;
}
inline std::vector<std::byte> own_blocks(const Strided& part) {
  std::vector<std::byte> all;
  for (int k = 0; k < part.blocks; ++k) {
    const auto block = bytes_at(part.offset(k), part.length);
    all.insert(all.end(), block.begin(), block.end());
  }
  return all;
}

// Message of the fault or mistake that `work` throws; empty if it throws none.
template <class Fault, class Work>
std::string thrown(Work work) {
  try {
    work();
  } catch (const Fault& fault) {
    return fault.what();
  }
  return "";
}

// Ends the program when a test hangs, as a library may on a fault: ctest would end the whole launch, and later.
class TimeLimit {
 public:
  TimeLimit() { ::alarm(500); }  // seconds
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;
  ~TimeLimit() { ::alarm(0); }
};

}  // namespace stressbench::test
