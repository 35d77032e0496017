#include "motifs/point_to_point/one_sided.hpp"

#include <algorithm>
#include <exception>

namespace stressbench {
namespace {

std::vector<int> each_once(std::vector<int> ranks) {
  std::ranges::sort(ranks);
  ranks.erase(std::ranges::unique(ranks).begin(), ranks.end());
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
  needs_ranks("a one-sided motif", 2, ranks);
  if (pairs_.was_given() && *reach_ != Reach::one_way && *reach_ != Reach::both_ways)
    reject("pairs", "--pattern {} has no pairs; use one_way or both_ways", reach_.text());
  if (*flush_ && *sync_ != Synchronisation::lock && *sync_ != Synchronisation::lock_all)
    reject("flush", "--sync {} has no locks to hold; use lock or lock_all", sync_.text());
}

Traffic OneSided::traffic(int ranks) const {
  const std::int64_t messages = all_targets(*reach_, ranks) * *operations_;
  return {.messages = messages,
          .message_bytes = messages * operation_bytes() * crossings(),
          .collectives = *sync_ == Synchronisation::fence ? 2 : 0};
}

std::optional<Bandwidth> OneSided::bandwidth(int ranks) const {
  const std::int64_t messages = most_targets(*reach_, ranks) * *operations_;
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
  reached_ = reached(*reach_, *pairs_, rank_, ranks_);
  target_ranks_ = each_once(ranks_of(reached_.targets));
  const auto length = static_cast<std::size_t>(operation_bytes());
  local_ = Buffer(reached_.targets.size() * operations() * length);
  const std::size_t exposed_bytes = pieces(reached_.origins.size()) * length;
  if (*kind_ == WindowKind::create) {
    given_ = Buffer(exposed_bytes);
    window_ = mpi::Window::create(given_.bytes(), group);
  } else {
    window_ = mpi::Window::allocate(exposed_bytes, group);
    std::ranges::fill(window_.memory(), std::byte{0x55});  // touched, like the memory of a Buffer
  }
  targets_ = mpi::RankSet(group, target_ranks_);
  origins_ = mpi::RankSet(group, each_once(reached_.origins));
  plan();
  if (*flush_) open_for_good();
}

void OneSided::plan() {
  planned_.clear();
  for (std::size_t target = 0; target < reached_.targets.size(); ++target) {
    const auto place = static_cast<std::size_t>(reached_.targets[target].place);
    for (std::size_t i = 0; i < operations(); ++i) {
      const auto there = static_cast<MPI_Aint>(place_of(place, i)) * static_cast<MPI_Aint>(operation_bytes());
      planned_.push_back({target, i, target_rank(target), local(target, i).data(), there});
    }
  }
}

void OneSided::open_for_good() {
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
  stamp_memory(pass);
  mpi::check(MPI_Barrier(communicator_), "MPI_Barrier");
}

void OneSided::verify(std::uint64_t pass) const {
  mpi::check(MPI_Barrier(communicator_), "MPI_Barrier");
  verify_memory(pass);
}

// Number of pieces in a window that `origins` origins access.
std::size_t OneSided::pieces(std::size_t origins) const {
  if (origins == 0) return 0;
  return place_of(origins - 1, operations() - 1) + 1;
}

std::size_t OneSided::place_of(std::size_t place, std::size_t operation) const {
  switch (piece()) {
    case Piece::own:
      return place * operations() + operation;
    case Piece::by_operation:
      return operation;
    case Piece::one:
      return 0;
  }
  return 0;
}

std::span<std::byte> OneSided::local(std::size_t target, std::size_t operation) const {
  const auto length = static_cast<std::size_t>(operation_bytes());
  return local_.bytes((target * operations() + operation) * length, length);
}

std::span<std::byte> OneSided::exposed(std::size_t place, std::size_t operation) const {
  const auto length = static_cast<std::size_t>(operation_bytes());
  return window_.memory().subspan(place_of(place, operation) * length, length);
}

}  // namespace stressbench
