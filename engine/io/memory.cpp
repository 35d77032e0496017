#include "io/memory.hpp"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <utility>

#include "core/clock.hpp"
#include "io/fault.hpp"
#include "io/stored_file.hpp"
#include "mpi/environment.hpp"

namespace stressbench::io {
namespace {

constexpr std::int64_t min_sleep_ns = 100'000;  // below this, wake-up latency is too large a share

using Files = std::map<std::string, std::shared_ptr<StoredFile>>;
Files& files() {
  static Files all;
  return all;
}

int errno_of(Failure failure) noexcept {
  switch (failure) {
    case Failure::EIo:
      return EIO;
    case Failure::ENoSpc:
    case Failure::half:
      return ENOSPC;
    case Failure::EDQuot:
      return EDQUOT;
    case Failure::ERoFs:
      return EROFS;
    case Failure::EAcces:
      return EACCES;
  }
  return EIO;
}

}  // namespace

std::int64_t TransferClock::now_ns() const noexcept { return MonotonicClock{}.now_ns(); }

void TransferClock::wait_until(std::int64_t end_ns) const noexcept {
  if (end_ns - now_ns() >= min_sleep_ns) {
    const timespec end{.tv_sec = end_ns / 1'000'000'000, .tv_nsec = end_ns % 1'000'000'000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, nullptr) == EINTR) {
    }
  }
  while (now_ns() < end_ns) {
  }
}

const TransferClock& TransferClock::real() noexcept {
  static const TransferClock clock;
  return clock;
}

Memory::Memory(ParameterSet& owner, const TransferClock& clock)
    : clock_(clock),
      delay_(&owner, "delay", Nanoseconds{0}, "time of each transfer in addition to that of its bytes"),
      bandwidth_(&owner, "bandwidth", Bytes{0}, "bytes per second that a rank transfers; 0: no limit"),
      fail_call_(&owner, "fail-call", FailingCall::none, "the call that fails"),
      fail_after_(&owner, "fail-after", std::int64_t{1}, "number of the rank's call of this kind that fails",
                  Positive{}),
      fail_rank_(&owner, "fail-rank", std::int64_t{0}, "the rank of the launch on which it fails"),
      fail_with_(&owner, "fail-with", Failure::EIo,
                 "error with which it fails; short: half of the bytes are transferred, then ENOSPC") {}

void Memory::check(const AccessRequirements&) const {
  const bool moves = *fail_call_ == FailingCall::write || *fail_call_ == FailingCall::read;
  if (*fail_with_ == Failure::half && !moves) reject("fail-with", "short needs --fail-call write or read");
}

void Memory::prepare(const Opening& opening) { path_.reserve(opening.path.size()); }

void Memory::open(const Opening& opening) {
  path_ = opening.path;
  if (const int error = fault(FailingCall::open)) throw_io_fault("open", path_, error);
  const auto existing = files().find(path_);
  file_ = existing == files().end() ? std::make_shared<StoredFile>() : existing->second;
  if (opening.access != Access::read) files()[path_] = file_;
  file_bytes_ = opening.file_bytes;
}

void Memory::write(std::int64_t offset, std::span<const std::byte> bytes) {
  const std::int64_t start_ns = clock_.now_ns();
  const int error = fault(FailingCall::write);
  const std::size_t written_bytes = error == 0 ? bytes.size() : *fail_with_ == Failure::half ? bytes.size() / 2 : 0;
  file_->write(offset, bytes.first(written_bytes));
  simulate_duration(start_ns, written_bytes);
  if (error) throw_io_fault({"write", "wrote", written_bytes, bytes.size(), offset}, path_, error_text(error));
}

void Memory::read(std::int64_t offset, std::span<std::byte> bytes) {
  const std::int64_t start_ns = clock_.now_ns();
  const int error = fault(FailingCall::read);
  const std::size_t requested_bytes = error == 0 ? bytes.size() : *fail_with_ == Failure::half ? bytes.size() / 2 : 0;
  // Bytes of other ranks are not stored here, but count as part of the file.
  const std::int64_t remaining = std::max(file_->size(), file_bytes_) - offset;
  const auto available_bytes =
      static_cast<std::size_t>(std::clamp(remaining, std::int64_t{0}, static_cast<std::int64_t>(requested_bytes)));
  unknown_bytes_ += file_->read(offset, bytes.first(available_bytes));
  simulate_duration(start_ns, available_bytes);
  if (error) throw_io_fault({"read", "read", available_bytes, bytes.size(), offset}, path_, error_text(error));
  if (available_bytes < bytes.size())
    throw_io_fault({"read", "read", available_bytes, bytes.size(), offset}, path_, "the file ends there");
}

void Memory::sync() {
  if (const int error = fault(FailingCall::sync)) throw_io_fault("sync", path_, error);
}

void Memory::close() {
  file_.reset();
  if (const int error = fault(FailingCall::close)) throw_io_fault("close", path_, error);
}

std::vector<std::string> Memory::notes() {
  const std::int64_t unknown = std::exchange(unknown_bytes_, 0);
  if (unknown == 0) return {};
  return {fmt::format("memory: {} bytes that this rank did not write were read as zeros", unknown)};
}

bool Memory::remove(const std::string& path) const { return files().erase(path) > 0; }

int Memory::fault(FailingCall call) {
  if (*fail_call_ != call || mpi::launched_rank().value_or(0) != *fail_rank_ || ++calls_ != *fail_after_) return 0;
  return errno_of(*fail_with_);
}

void Memory::simulate_duration(std::int64_t start_ns, std::size_t bytes) const noexcept {
  double duration_ns = static_cast<double>(delay_->value);
  if (bandwidth_->value > 0) duration_ns += static_cast<double>(bytes) * 1e9 / static_cast<double>(bandwidth_->value);
  if (duration_ns > 0) clock_.wait_until(start_ns + static_cast<std::int64_t>(duration_ns));
}

namespace {
const RegisterBackend<Memory> registered{"memory", "keeps files in memory, with a given speed and given errors"};
}

}  // namespace stressbench::io
