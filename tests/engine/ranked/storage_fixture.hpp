// A file for each test, on all ranks of a launch, and a file system that is soon full.
#pragma once

#include <gtest/gtest.h>
#include <sys/mount.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "mpi/group.hpp"

namespace stressbench::test {

class StorageTest : public testing::Test {
 protected:
  void SetUp() override { group_ = mpi::Group::view(MPI_COMM_WORLD).duplicate(); }
  void TearDown() override {
    group_.barrier();
    std::error_code ignored;
    if (group_.rank() == 0) std::filesystem::remove_all(path_, ignored);
    group_.barrier();
  }
  // Content of the file, read by POSIX calls while no rank writes.
  std::vector<std::byte> content() const {
    group_.barrier();
    std::ifstream file(path_, std::ios::binary);
    const std::vector<char> found((std::istreambuf_iterator<char>(file)), {});
    group_.barrier();
    const auto bytes = std::as_bytes(std::span(found));
    return {bytes.begin(), bytes.end()};
  }
  void write_content(const std::vector<std::byte>& bytes) const {
    if (group_.rank() == 0) {
      std::ofstream(path_, std::ios::binary)
          .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    }
    group_.barrier();
  }
  bool on_any(bool local_flag) const {
    int any_flag = local_flag ? 1 : 0;
    mpi::check(MPI_Allreduce(MPI_IN_PLACE, &any_flag, 1, MPI_INT, MPI_LOR, group_.handle()), "MPI_Allreduce");
    return any_flag != 0;
  }

  // In the directory of the launch (main.cpp), which is the working directory.
  std::string path_ = std::filesystem::absolute("storage.out").string();
  mpi::Group group_;
};

// A small tmpfs, mounted by rank 0 in the directory of the launch. If that is not permitted, mounted() is false and
// mount_error() is the reason.
class SmallDisk {
 public:
  SmallDisk(const mpi::Group& group, std::int64_t bytes) : group_(group) {
    folder_ = std::filesystem::absolute("small-disk").string();
    if (group.rank() == 0) {
      std::filesystem::create_directory(folder_);
      const std::string options = "size=" + std::to_string(bytes);
      if (::mount("tmpfs", folder_.c_str(), "tmpfs", 0, options.c_str()) != 0) mount_errno_ = errno;
    }
    mpi::check(MPI_Bcast(&mount_errno_, 1, MPI_INT, 0, group.handle()), "MPI_Bcast");
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    MPI_Barrier(group_.handle());
    if (group_.rank() == 0 && mount_errno_ == 0) ::umount2(folder_.c_str(), MNT_DETACH);
    MPI_Barrier(group_.handle());
  }
  bool mounted() const { return mount_errno_ == 0; }
  std::string mount_error() const { return std::strerror(mount_errno_); }
  std::string file() const { return folder_ + "/full.out"; }

 private:
  const mpi::Group& group_;
  std::string folder_;
  int mount_errno_ = 0;
};

}  // namespace stressbench::test
