// b_eff_io: the data that a rank writes, and the check of the data that it reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/buffer.hpp"
#include "core/payload.hpp"
#include "core/recorder.hpp"

namespace stressbench::beff {

// Bytes depend on the rank that writes them; the first eight bytes of a call, on pattern and call. A reading call has
// at least its first and last eight bytes checked.
class FileContents {
 public:
  // A call of this rank to the MPI library, which moves a part of a pattern.
  struct Call {
    int pattern = 0;
    std::int64_t number = 0;
  };

  // `rank`: of this rank in the job. `longest`: bytes of the longest call.
  void allocate(int rank, std::size_t longest);
  void fill(std::uint64_t pass);
  // Checks every byte from now on.
  void check_all_bytes() noexcept { checks_all_bytes_ = true; }
  bool checks_all_bytes() const noexcept { return checks_all_bytes_; }

  // Begins an execution of the benchmark: no call has read yet.
  void start() noexcept;
  // The bytes that the call writes.
  std::span<const std::byte> written_by(Call call, std::size_t length) noexcept;
  // Memory into which a call reads. It holds none of the bytes that are expected.
  std::span<std::byte> destination(std::size_t length) noexcept;
  void check(Call call, std::span<const std::byte> bytes, const std::string& path, const Recorder& recorder);

  // The first wrong byte since `start`, as text. It is reported at the end: a rank that left earlier would leave the
  // others waiting.
  const std::optional<std::string>& fault() const noexcept { return fault_; }
  bool has_read() const noexcept { return has_read_; }
  // Time since `start` in which every byte was checked, which is excluded from all other times.
  std::int64_t check_time_ns() const noexcept { return check_time_ns_; }

 private:
  payload::Origin origin() const noexcept { return {.sender = rank_, .receiver = rank_, .pass = pass_}; }
  std::optional<std::size_t> first_wrong(Call call, std::span<const std::byte> bytes) const;

  int rank_ = 0;
  Buffer write_buffer_;
  Buffer read_buffer_;
  std::uint64_t pass_ = 0;
  bool checks_all_bytes_ = false;
  bool has_read_ = false;
  std::optional<std::string> fault_;
  std::int64_t check_time_ns_ = 0;
};

}  // namespace stressbench::beff
