// RAII wrapper of MPI_Info: hints for the library as text keys and values.
#pragma once

#include <mpi.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mpi/group.hpp"

namespace stressbench::mpi {

class Info {
 public:
  Info() = default;  // MPI_INFO_NULL, to which nothing may be added
  static Info create();
  // Takes ownership of `owned`, such as the result of MPI_File_get_info.
  static Info adopt(MPI_Info owned);

  Info(Info&& other) noexcept : info_(std::exchange(other.info_, MPI_INFO_NULL)) {}
  Info& operator=(Info&& other) noexcept {
    std::swap(info_, other.info_);
    return *this;
  }
  Info(const Info&) = delete;
  Info& operator=(const Info&) = delete;
  ~Info() {
    if (info_ != MPI_INFO_NULL) MPI_Info_free(&info_);
  }

  void set(const std::string& key, const std::string& value);
  std::optional<std::string> get(const std::string& key) const;
  std::vector<std::string> keys() const;
  MPI_Info handle() const noexcept { return info_; }

 private:
  MPI_Info info_ = MPI_INFO_NULL;
};

}  // namespace stressbench::mpi
