// Scratch files that replace the files of the captured program.
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
  MPI_File* handle(int slot) noexcept { return &handles_[static_cast<std::size_t>(slot)]; }
  // Closes the files that the program left open.
  void close();

 private:
  std::vector<MPI_File> handles_;
};

// Throws UserMistake if the file system of `path` has fewer bytes free.
void require_free_space(const std::string& path, std::int64_t bytes);

// Scratch files that this rank creates before the replay and removes after it, for all ranks that open them with it.
class ScratchFiles {
 public:
  ScratchFiles() = default;
  ScratchFiles(const ScratchFiles&) = delete;
  ScratchFiles& operator=(const ScratchFiles&) = delete;
  ~ScratchFiles();

  // Creates a file of `bytes` bytes for later reads, once per path; after a stop signal, what is missing of it is a
  // hole. Throws UserMistake if the file exists, cannot be written or does not fit into the file system.
  void create(const std::string& path, std::int64_t bytes);

 private:
  std::vector<std::string> paths_;
};

}  // namespace stressbench::replay
