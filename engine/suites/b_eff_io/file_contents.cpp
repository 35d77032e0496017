#include "suites/b_eff_io/file_contents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace stressbench::beff {
namespace {

constexpr std::size_t mark_bytes = sizeof(std::uint64_t);

std::uint64_t mark_of(FileContents::Call call) noexcept {
  return static_cast<std::uint64_t>(call.pattern) << 48U | static_cast<std::uint64_t>(call.number);
}

}  // namespace

void FileContents::allocate(int rank, std::size_t longest) {
  rank_ = rank;
  write_buffer_ = Buffer(longest);
  read_buffer_ = Buffer(longest);
  fill(0);
}

void FileContents::fill(std::uint64_t pass) {
  pass_ = pass;
  payload::fill({write_buffer_.data(), write_buffer_.size()}, origin());
}

void FileContents::start() noexcept {
  fault_.reset();
  has_read_ = false;
  check_time_ns_ = 0;
}

std::span<const std::byte> FileContents::written_by(Call call, std::size_t length) noexcept {
  const std::uint64_t mark = mark_of(call);
  std::memcpy(write_buffer_.data(), &mark, mark_bytes);
  return {write_buffer_.data(), length};
}

std::span<std::byte> FileContents::destination(std::size_t length) noexcept {
  const std::span<std::byte> bytes{read_buffer_.data(), length};
  payload::poison(checks_all_bytes_ ? bytes : bytes.last(mark_bytes), origin());
  std::memset(bytes.data(), 0xff, mark_bytes);
  return bytes;
}

void FileContents::check(Call call, std::span<const std::byte> bytes, const std::string& path,
                         const Recorder& recorder) {
  has_read_ = true;
  if (fault_) return;
  const std::int64_t start_ns = checks_all_bytes_ ? recorder.now_ns() : 0;
  if (const auto wrong = first_wrong(call, bytes)) {
    fault_ = fmt::format("b_eff_io: '{}': pattern {}, call {}: byte {} is not what rank {} wrote there", path,
                         call.pattern, call.number, *wrong, rank_);
  }
  if (checks_all_bytes_) check_time_ns_ += recorder.now_ns() - start_ns;
}

std::optional<std::size_t> FileContents::first_wrong(Call call, std::span<const std::byte> bytes) const {
  const std::uint64_t mark = mark_of(call);
  if (std::memcmp(bytes.data(), &mark, mark_bytes) != 0) return 0;
  const std::size_t first_checked =
      checks_all_bytes_ ? mark_bytes : std::max(mark_bytes, bytes.size() - mark_bytes);  // not the mark again
  const auto wrong = payload::first_wrong(bytes.subspan(first_checked), origin(), first_checked);
  return wrong ? std::optional(*wrong + first_checked) : std::nullopt;
}

}  // namespace stressbench::beff
