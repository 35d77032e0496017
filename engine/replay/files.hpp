// Scratch files in the place of the captured program's.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace stressbench::replay {

class Files {
 public:
  Files() = default;
  explicit Files(std::size_t slots) : handles_(slots, MPI_FILE_NULL) {}

  MPI_File operator[](int slot) const noexcept { return handles_[static_cast<std::size_t>(slot)]; }
  MPI_File* at(int slot) noexcept { return &handles_[static_cast<std::size_t>(slot)]; }
  // Whatever the program left open.
  void close();

 private:
  std::vector<MPI_File> handles_;
};

// The files of one rank that this rank makes before and takes away after, on behalf of those that open them with it.
class ScratchFiles {
 public:
  ScratchFiles() = default;
  ScratchFiles(const ScratchFiles&) = delete;
  ScratchFiles& operator=(const ScratchFiles&) = delete;
  ~ScratchFiles();

  // Writes `bytes` bytes, so that there is something to read. Throws UserMistake where it exists or cannot be written.
  void make(const std::string& path, std::int64_t bytes);

 private:
  std::vector<std::string> paths_;
};

}  // namespace stressbench::replay
