// memory: files in the memory of this process, with a given delay, bandwidth and faults; for tests and dry runs.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "io/backend.hpp"

namespace stressbench {

enum class FailingCall { none, open, write, read, sync, close };

enum class Failure { EIo, ENoSpc, EDQuot, ERoFs, EAcces, half };
template <>
struct Names<Failure> {
  static constexpr std::array values{
      std::pair{std::string_view{"EIO"}, Failure::EIo},       std::pair{std::string_view{"ENOSPC"}, Failure::ENoSpc},
      std::pair{std::string_view{"EDQUOT"}, Failure::EDQuot}, std::pair{std::string_view{"EROFS"}, Failure::ERoFs},
      std::pair{std::string_view{"EACCES"}, Failure::EAcces}, std::pair{std::string_view{"short"}, Failure::half}};
};

namespace io {

class StoredFile;

// Clock of the transfers, which tests replace.
class TransferClock {
 public:
  virtual ~TransferClock() = default;
  virtual std::int64_t now_ns() const noexcept;
  virtual void wait_until(std::int64_t end_ns) const noexcept;  // sleeps, and busy-waits at the end
  static const TransferClock& real() noexcept;
};

class Memory final : public Backend {
 public:
  explicit Memory(ParameterSet& owner, const TransferClock& clock = TransferClock::real());

  void check(const AccessRequirements& requirements) const override;
  void prepare(const Opening& opening) override;
  void open(const Opening& opening) override;
  void write(std::int64_t offset, std::span<const std::byte> bytes) override;
  void read(std::int64_t offset, std::span<std::byte> bytes) override;
  void sync() override;
  void close() override;
  bool per_rank_files() const override { return true; }
  std::vector<std::string> notes() override;
  bool remove(const std::string& path) const override;

 private:
  // The errno with which this call must fail; 0: it succeeds.
  int fault(FailingCall call);
  void simulate_duration(std::int64_t start_ns, std::size_t bytes) const noexcept;

  const TransferClock& clock_;
  Param<Nanoseconds> delay_;
  Param<Bytes> bandwidth_;
  Param<FailingCall> fail_call_;
  Param<std::int64_t> fail_after_;
  Param<std::int64_t> fail_rank_;
  Param<Failure> fail_with_;

  std::string path_;
  std::shared_ptr<StoredFile> file_;
  std::int64_t file_bytes_ = 0;
  std::int64_t calls_ = 0;  // so far, of the kind that fails
  std::int64_t unknown_bytes_ = 0;
};

}  // namespace io
}  // namespace stressbench
