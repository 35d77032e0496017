#include "replay/windows.hpp"

#include <algorithm>
#include <array>

#include "core/error.hpp"
#include "mpi/group.hpp"

namespace stressbench::replay {
namespace {

// Whether an access at `displacement` units and of `bytes` bytes, all of them 0 or more, ends within `size` bytes.
bool ends_within(std::int64_t displacement, std::int64_t unit, std::int64_t bytes, std::int64_t size) noexcept {
  std::int64_t end = 0;
  return !__builtin_mul_overflow(displacement, unit, &end) && !__builtin_add_overflow(end, bytes, &end) && end <= size;
}

}  // namespace

WindowLimits window_limits_of(const trace::RankRecord& record) noexcept {
  WindowLimits limits;
  for (const trace::Call& call : record.calls) {
    if (!call.op.starts_with("Win_create") && !call.op.starts_with("Win_allocate")) continue;
    limits.min_bytes = std::min(limits.min_bytes, call.size);
    limits.max_bytes = std::max(limits.max_bytes, call.size);
    limits.min_unit = std::min(limits.min_unit, call.unit);
    limits.max_unit = std::max(limits.max_unit, call.unit);
  }
  return limits;
}

WindowLimits window_limits_of(const WindowLimits& own, const mpi::Group& group) {
  std::array<std::int64_t, 2> least{own.min_bytes, own.min_unit};
  std::array<std::int64_t, 2> most{own.max_bytes, own.max_unit};
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, least.data(), 2, MPI_INT64_T, MPI_MIN, group.handle()), "MPI_Allreduce");
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, most.data(), 2, MPI_INT64_T, MPI_MAX, group.handle()), "MPI_Allreduce");
  return {least[0], most[0], least[1], most[1]};
}

bool is_within(const Access& access, const WindowLimits& limits) {
  if (access.bytes == 0) return true;
  const auto displacement = static_cast<std::int64_t>(access.displacement);
  if (displacement < 0 || !ends_within(displacement, limits.min_unit, access.bytes, limits.max_bytes)) {
    throw UserMistake("reaches {} bytes at displacement {}; the largest window has {} bytes", access.bytes,
                      displacement, limits.max_bytes);
  }
  return ends_within(displacement, limits.max_unit, access.bytes, limits.min_bytes);
}

Windows::Windows(const std::vector<std::size_t>& memory)
    : handles_(memory.size(), MPI_WIN_NULL), creation_order_(memory.size(), 0) {
  for (const std::size_t bytes : memory) memory_.push_back(bytes > 0 ? Buffer(bytes) : Buffer());
}

void Windows::exchange_extents(const Access& created, MPI_Comm comm) {
  if (extents_.empty()) return;
  int ranks = 0;
  mpi::check(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
  std::vector<Extent>& all = extents_[static_cast<std::size_t>(created.window)];
  all.resize(static_cast<std::size_t>(ranks));
  const Extent own{static_cast<std::int64_t>(created.size), created.unit};
  mpi::check(MPI_Allgather(&own, 2, MPI_INT64_T, all.data(), 2, MPI_INT64_T, comm), "MPI_Allgather");
}

void Windows::check_access(const Access& access, int rank) const {
  const std::vector<Extent>& all = extents_[static_cast<std::size_t>(access.window)];
  if (rank < 0 || access.bytes == 0) return;  // MPI_PROC_NULL
  const auto at = static_cast<std::size_t>(rank);
  const Extent partner = at < all.size() ? all[at] : Extent{};
  if (ends_within(access.displacement, partner.unit, access.bytes, partner.bytes)) return;
  throw MachineFault("the trace reaches {} bytes at displacement {} of window {}; the memory of rank {} has {} bytes",
                     access.bytes, static_cast<std::int64_t>(access.displacement), access.window, rank, partner.bytes);
}

void Windows::release() {
  for (;;) {
    std::size_t oldest = handles_.size();
    for (std::size_t i = 0; i < handles_.size(); ++i) {
      if (handles_[i] == MPI_WIN_NULL) continue;
      if (oldest == handles_.size() || creation_order_[i] < creation_order_[oldest]) oldest = i;
    }
    if (oldest == handles_.size()) break;
    mpi::check(MPI_Win_free(&handles_[oldest]), "MPI_Win_free");
  }
  creations_ = 0;
}

}  // namespace stressbench::replay
