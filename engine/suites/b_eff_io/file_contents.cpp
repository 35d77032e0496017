// b_eff_io: the data that is written, and the check of the data that is read.
#include <fmt/format.h>

#include <cstring>

#include "core/payload.hpp"
#include "suites/b_eff_io/b_eff_io.hpp"

namespace stressbench::beff {
namespace {

constexpr std::size_t mark_bytes = sizeof(std::uint64_t);

}  // namespace

// Bytes depend on the rank that writes them; the first eight bytes of a call, on pattern and call.
void BEffIo::fill_write_buffer(std::uint64_t pass) {
  pass_ = pass;
  payload::fill({write_buffer_.data(), write_buffer_.size()},
                {.sender = group_.rank(), .receiver = group_.rank(), .pass = pass});
}

void BEffIo::transfer(IoFile& file, const Partition& partition, const PatternRun& run, std::int64_t call,
                      Recorder& recorder) {
  const IoPattern& pattern = *run.pattern;
  const auto length = static_cast<std::size_t>(call_bytes(partition, pattern, *run.region, call));
  IoCall io_call = collective(pattern.type) ? IoCall::own_all : IoCall::own;
  std::int64_t offset = 0;
  if (pattern.type == IoType::shared) {
    io_call = *no_shared_ ? IoCall::at_all : IoCall::ordered;
    offset = run.region->base + (call * partition.ranks + partition.group.rank()) * pattern.chunk_bytes;
    shared_pointer_ = run.region->base + (call + 1) * partition.ranks * pattern.chunk_bytes;
  }
  const std::uint64_t mark = static_cast<std::uint64_t>(pattern.number) << 48U | static_cast<std::uint64_t>(call);
  if (run.access != IoAccess::read) {
    std::memcpy(write_buffer_.data(), &mark, mark_bytes);
    file.write(io_call, offset, {write_buffer_.data(), length});
    return;
  }
  const std::span<std::byte> bytes{read_buffer_.data(), length};
  const payload::Origin origin{.sender = group_.rank(), .receiver = group_.rank(), .pass = pass_};
  payload::poison(check_all_bytes_ ? bytes : bytes.last(mark_bytes), origin);
  std::memset(bytes.data(), 0xff, mark_bytes);
  file.read(io_call, offset, bytes);
  const std::int64_t start_ns = check_all_bytes_ ? recorder.now_ns() : 0;
  check_contents(file, run, call, bytes);
  if (check_all_bytes_) check_time_ns_ += recorder.now_ns() - start_ns;
}

// Errors are reported at the end: a rank that left earlier would leave the others waiting.
void BEffIo::check_contents(const IoFile& file, const PatternRun& run, std::int64_t call,
                            std::span<const std::byte> bytes) {
  ++read_calls_;
  if (fault_text_) return;
  const std::uint64_t mark = static_cast<std::uint64_t>(run.pattern->number) << 48U | static_cast<std::uint64_t>(call);
  const payload::Origin origin{.sender = group_.rank(), .receiver = group_.rank(), .pass = pass_};
  const std::size_t first_checked = check_all_bytes_ ? mark_bytes : bytes.size() - mark_bytes;
  std::optional<std::size_t> wrong = payload::first_wrong(bytes.subspan(first_checked), origin, first_checked);
  if (wrong) *wrong += first_checked;
  if (std::memcmp(bytes.data(), &mark, mark_bytes) != 0) wrong = 0;
  if (wrong)
    fault_text_ = fmt::format("b_eff_io: '{}': pattern {}, call {}: byte {} is not what rank {} wrote there",
                              file.path(), run.pattern->number, call, *wrong, group_.rank());
}
}  // namespace stressbench::beff
