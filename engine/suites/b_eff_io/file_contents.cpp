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
void BEffIo::fill(std::uint64_t pass) {
  pass_ = pass;
  payload::fill({out_.data(), out_.size()}, {.sender = own_.rank(), .receiver = own_.rank(), .pass = pass});
}

void BEffIo::transfer(IoFile& file, const Partition& partition, const Row& row, std::int64_t call, Recorder& recorder) {
  const IoPattern& pattern = *row.pattern;
  const auto length = static_cast<std::size_t>(bytes_of_call(partition, pattern, *row.region, call));
  IoCall how = collective(pattern.type) ? IoCall::own_all : IoCall::own;
  std::int64_t offset = 0;
  if (pattern.type == IoType::shared) {
    how = *no_shared_ ? IoCall::at_all : IoCall::ordered;
    offset = row.region->base + (call * partition.ranks + partition.group.rank()) * pattern.chunk_bytes;
    shared_at_ = row.region->base + (call + 1) * partition.ranks * pattern.chunk_bytes;
  }
  const std::uint64_t mark = static_cast<std::uint64_t>(pattern.number) << 48U | static_cast<std::uint64_t>(call);
  if (row.access != IoAccess::read) {
    std::memcpy(out_.data(), &mark, mark_bytes);
    file.write(how, offset, {out_.data(), length});
    return;
  }
  const std::span<std::byte> bytes{in_.data(), length};
  const payload::Origin origin{.sender = own_.rank(), .receiver = own_.rank(), .pass = pass_};
  payload::poison(thorough_ ? bytes : bytes.last(mark_bytes), origin);
  std::memset(bytes.data(), 0xff, mark_bytes);
  file.read(how, offset, bytes);
  const std::int64_t begin_ns = thorough_ ? recorder.now_ns() : 0;
  check_contents(file, row, call, bytes);
  if (thorough_) checking_ns_ += recorder.now_ns() - begin_ns;
}

// Errors are reported at the end: a rank that left earlier would leave the others waiting.
void BEffIo::check_contents(const IoFile& file, const Row& row, std::int64_t call, std::span<const std::byte> bytes) {
  ++reads_;
  if (wrong_) return;
  const std::uint64_t mark = static_cast<std::uint64_t>(row.pattern->number) << 48U | static_cast<std::uint64_t>(call);
  const payload::Origin origin{.sender = own_.rank(), .receiver = own_.rank(), .pass = pass_};
  const std::size_t from = thorough_ ? mark_bytes : bytes.size() - mark_bytes;
  std::optional<std::size_t> wrong = payload::first_wrong(bytes.subspan(from), origin, from);
  if (wrong) *wrong += from;
  if (std::memcmp(bytes.data(), &mark, mark_bytes) != 0) wrong = 0;
  if (wrong)
    wrong_ = fmt::format("b_eff_io: '{}': pattern {}, call {}: byte {} is not what rank {} wrote there", file.path(),
                         row.pattern->number, call, *wrong, own_.rank());
}
}  // namespace stressbench::beff
