// memory: files in this process, as slow and as faulty as asked; for tests, and for rehearsals without a disk.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "io/backend.hpp"

namespace stressbench {

enum class FailingCall { none, open, write, read, sync, close };
template <>
struct Names<FailingCall> {
  static constexpr std::array values{std::pair{std::string_view{"none"}, FailingCall::none},
                                     std::pair{std::string_view{"open"}, FailingCall::open},
                                     std::pair{std::string_view{"write"}, FailingCall::write},
                                     std::pair{std::string_view{"read"}, FailingCall::read},
                                     std::pair{std::string_view{"sync"}, FailingCall::sync},
                                     std::pair{std::string_view{"close"}, FailingCall::close}};
};

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

// Time as transfers take it. Tests have one that they move by hand.
class TransferClock {
 public:
  virtual ~TransferClock() = default;
  virtual std::int64_t now_ns() const noexcept;
  virtual void wait_until(std::int64_t end_ns) const noexcept;  // sleeps, and spins the rest
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
  // The error that this call must fail with; 0 mostly.
  int fault(FailingCall call);
  void take_time(std::int64_t begun_ns, std::size_t bytes) const noexcept;

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
  std::int64_t calls_ = 0;  // of the kind that fails
  std::int64_t unknown_bytes_ = 0;
};

}  // namespace io
}  // namespace stressbench
