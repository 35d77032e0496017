#include "communicators.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "handles.hpp"

namespace stressbench::trace {
namespace {

// Describes the world ranks as runs with constant stride.
void describe_members(const std::int32_t* world, int size, Communicator& described) noexcept {
  described.runs = 0;
  for (int k = 0; k < size;) {
    if (described.runs == Communicator::most_runs) {
      described.runs = -1;
      return;
    }
    Communicator::Run run{world[k], 1, 1};
    if (k + 1 < size) run.stride = world[k + 1] - world[k];
    while (k + run.count < size && world[k + run.count] == run.first + run.stride * run.count) ++run.count;
    if (run.count == 1) run.stride = 1;
    described.members[described.runs++] = run;
    k += run.count;
  }
}

}  // namespace

void Communicators::start(Recording& recording) noexcept {
  recording_ = &recording;
  add(MPI_COMM_WORLD);
  add(MPI_COMM_SELF);
}

std::int32_t Communicators::number_of(const Communicator& described) noexcept {
  for (std::int32_t k = 0; k < recording_->communicator_count; ++k) {
    if (std::memcmp(&recording_->communicators[k], &described, sizeof(described)) == 0) return k;
  }
  if (recording_->communicator_count == Recording::most_communicators) return unset;
  recording_->communicators[recording_->communicator_count] = described;
  return recording_->communicator_count++;
}

const Communicators::Known* Communicators::find(MPI_Comm comm) noexcept {
  const std::uint64_t handle = word_of(comm);
  for (int slot = 0; slot < end_; ++slot) {
    if (known_[slot].handle == handle) return &known_[slot];
  }
  return add(comm);
}

const Communicators::Known* Communicators::add(MPI_Comm comm) noexcept {
  if (comm == MPI_COMM_NULL) return nullptr;
  const std::lock_guard<std::mutex> alone{changing_};
  int slot = 0;
  while (slot < end_ && known_[slot].handle != 0) ++slot;
  if (slot == most) return nullptr;
  Communicator described;
  std::memset(&described, 0, sizeof(described));
  int is_inter = 0;
  int size = 0;
  PMPI_Comm_test_inter(comm, &is_inter);
  PMPI_Comm_rank(comm, &described.rank);
  MPI_Group group = MPI_GROUP_NULL;
  if (is_inter != 0) {
    PMPI_Comm_remote_group(comm, &group);
  } else {
    PMPI_Comm_group(comm, &group);
  }
  PMPI_Group_size(group, &size);
  MPI_Group everybody = MPI_GROUP_NULL;
  PMPI_Comm_group(MPI_COMM_WORLD, &everybody);
  const auto bytes = static_cast<std::size_t>(size > 0 ? size : 1) * sizeof(std::int32_t);
  auto* ranks = static_cast<std::int32_t*>(std::malloc(bytes));
  auto* world = static_cast<std::int32_t*>(std::malloc(bytes));
  if (ranks == nullptr || world == nullptr) return std::free(ranks), std::free(world), nullptr;
  for (int k = 0; k < size; ++k) ranks[k] = k;
  PMPI_Group_translate_ranks(group, size, ranks, everybody, world);
  PMPI_Group_free(&group);
  PMPI_Group_free(&everybody);
  described.slot = slot;
  described.size = size;
  described.inter = is_inter;
  describe_members(world, size, described);
  const bool same = std::memcmp(ranks, world, bytes) == 0 && size > 0;
  std::free(ranks);
  if (same) std::free(world);
  known_[slot] = {word_of(comm), number_of(described), slot, described.rank, size, same ? nullptr : world};
  end_ = std::max(end_, slot + 1);
  return &known_[slot];
}

void Communicators::made_unseen(MPI_Comm comm) {
  int is_inter = 0;
  if (comm != MPI_COMM_NULL) PMPI_Comm_test_inter(comm, &is_inter);
  if (comm == MPI_COMM_NULL || is_inter != 0) return;
  const std::lock_guard<std::mutex> alone{changing_};
  unseen_.push_back(comm);
}

void Communicators::freed_unseen(MPI_Comm comm) noexcept {
  {
    const std::lock_guard<std::mutex> alone{changing_};
    std::erase(unseen_, comm);
  }
  remove(comm);
}

void Communicators::look() noexcept {
  std::vector<MPI_Comm> unseen;
  {
    const std::lock_guard<std::mutex> alone{changing_};
    unseen.swap(unseen_);
  }
  for (const MPI_Comm comm : unseen) find(comm);
}

void Communicators::remove(MPI_Comm comm) noexcept {
  const std::lock_guard<std::mutex> alone{changing_};
  const std::uint64_t handle = word_of(comm);
  for (Known& known : known_) {
    if (known.handle != handle) continue;
    std::free(known.world);
    known = {};
    return;
  }
}

}  // namespace stressbench::trace
