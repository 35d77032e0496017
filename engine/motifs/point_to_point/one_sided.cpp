#include "motifs/point_to_point/one_sided.hpp"

#include <algorithm>
#include <exception>

namespace stressbench {
namespace {

std::vector<int> sorted_unique(std::vector<int> ranks) {
  std::ranges::sort(ranks);
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

std::vector<int> ranks_of(const std::vector<Target>& targets) {
  std::vector<int> ranks;
  for (const Target& target : targets) ranks.push_back(target.rank);
  return ranks;
}

}  // namespace

// Releases the locks before the window is freed. Not after a fault: targets may no longer respond.
OneSided::~OneSided() {
  if (!locked_ || std::uncaught_exceptions() > 0) return;
  if (*sync_ == Synchronisation::lock_all) MPI_Win_unlock_all(window());
  if (*sync_ != Synchronisation::lock) return;
  for (const int target : target_ranks_) MPI_Win_unlock(target, window());
}

void OneSided::check(int ranks) const {
  require_ranks("a one-sided motif", 2, ranks);
  if (pairs_.was_given() && *pattern_ != AccessPattern::one_way && *pattern_ != AccessPattern::both_ways)
    reject("pairs", "--pattern {} has no pairs; use one_way or both_ways", pattern_.text());
  if (*flush_ && *sync_ != Synchronisation::lock && *sync_ != Synchronisation::lock_all)
    reject("flush", "--sync {} has no locks to hold; use lock or lock_all", sync_.text());
}

Traffic OneSided::traffic(int ranks) const {
  const std::int64_t messages = total_targets(*pattern_, ranks) * *operations_;
  return {.messages = messages,
          .message_bytes = messages * operation_bytes() * crossings(),
          .collectives = *sync_ == Synchronisation::fence ? 2 : 0};
}

std::optional<Bandwidth> OneSided::bandwidth(int ranks) const {
  const std::int64_t messages = max_targets_per_origin(*pattern_, ranks) * *operations_;
  return Bandwidth{static_cast<double>(messages * operation_bytes() * crossings()),
                   crossings() == 1
                       ? "of one origin: bytes of its operations / time until synchronised"
                       : "of one origin: bytes sent and returned by its operations / time until synchronised",
                   messages};
}

void OneSided::decompose(const mpi::Group& group, const Draw&) {
  communicator_ = group.handle();
  rank_ = group.rank();
  ranks_ = group.size();
  peers_ = access_peers(*pattern_, *pairs_, rank_, ranks_);
  target_ranks_ = sorted_unique(ranks_of(peers_.targets));
  const auto length = static_cast<std::size_t>(operation_bytes());
  local_ = Buffer(peers_.targets.size() * operations() * length);
  const std::size_t exposed_bytes = piece_count(peers_.origins.size()) * length;
  if (*kind_ == WindowKind::create) {
    user_memory_ = Buffer(exposed_bytes);
    window_ = mpi::Window::create(user_memory_.bytes(), group);
  } else {
    window_ = mpi::Window::allocate(exposed_bytes, group);
    std::ranges::fill(window_.memory(), std::byte{0x55});  // touched, like the memory of a Buffer
  }
  targets_ = mpi::RankSet(group, target_ranks_);
  origins_ = mpi::RankSet(group, sorted_unique(peers_.origins));
  plan_operations();
  if (*flush_) lock_for_all_iterations();
}

void OneSided::plan_operations() {
  planned_operations_.clear();
  for (std::size_t target = 0; target < peers_.targets.size(); ++target) {
    const auto origin_index = static_cast<std::size_t>(peers_.targets[target].origin_index);
    for (std::size_t i = 0; i < operations(); ++i) {
      const auto displacement =
          static_cast<MPI_Aint>(piece_index(origin_index, i)) * static_cast<MPI_Aint>(operation_bytes());
      planned_operations_.push_back({target, i, target_rank(target), local(target, i).data(), displacement});
    }
  }
}

void OneSided::lock_for_all_iterations() {
  if (*sync_ == Synchronisation::lock_all) mpi::check(MPI_Win_lock_all(0, window()), "MPI_Win_lock_all");
  if (*sync_ == Synchronisation::lock) {
    for (const int target : target_ranks_) {
      mpi::check(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, window()), "MPI_Win_lock");
    }
  }
  locked_ = true;
}

void OneSided::flush() {
  if (*sync_ == Synchronisation::lock_all && target_ranks_.size() > 1) {
    mpi::check(MPI_Win_flush_all(window()), "MPI_Win_flush_all");
    return;
  }
  for (const int target : target_ranks_) mpi::check(MPI_Win_flush(target, window()), "MPI_Win_flush");
}

void OneSided::fill_payload(std::uint64_t pass) {
  fill_memory(pass);
  mpi::check(MPI_Barrier(communicator_), "MPI_Barrier");
}

void OneSided::verify(std::uint64_t pass) const {
  mpi::check(MPI_Barrier(communicator_), "MPI_Barrier");
  verify_memory(pass);
}

// Number of pieces in a window that `origins` origins access.
std::size_t OneSided::piece_count(std::size_t origins) const {
  if (origins == 0) return 0;
  return piece_index(origins - 1, operations() - 1) + 1;
}

std::size_t OneSided::piece_index(std::size_t origin_index, std::size_t operation) const {
  switch (piece()) {
    case Piece::own:
      return origin_index * operations() + operation;
    case Piece::by_operation:
      return operation;
    case Piece::shared:
      return 0;
  }
  return 0;
}

std::span<std::byte> OneSided::local(std::size_t target, std::size_t operation) const {
  const auto length = static_cast<std::size_t>(operation_bytes());
  return local_.bytes((target * operations() + operation) * length, length);
}

std::span<std::byte> OneSided::exposed(std::size_t origin_index, std::size_t operation) const {
  const auto length = static_cast<std::size_t>(operation_bytes());
  return window_.memory().subspan(piece_index(origin_index, operation) * length, length);
}

}  // namespace stressbench
