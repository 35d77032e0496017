#include "communicators.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "handles.hpp"

namespace stressbench::trace {
namespace {

// The group to which ranks in the communicator refer: of an intercommunicator, the remote one.
MPI_Group group_of(MPI_Comm comm) noexcept {
  int is_inter = 0;
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_test_inter(comm, &is_inter);
  if (is_inter != 0) {
    PMPI_Comm_remote_group(comm, &group);
  } else {
    PMPI_Comm_group(comm, &group);
  }
  return group;
}

// Describes the world ranks as runs with constant stride.
void describe_members(const std::int32_t* world, int size, Communicator& described) noexcept {
  described.runs = 0;
  for (int k = 0; k < size;) {
    if (described.runs == Communicator::max_runs) {
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

std::int32_t Communicators::find_or_add_description(const Communicator& described) noexcept {
  for (std::int32_t k = 0; k < recording_->communicator_count; ++k) {
    if (std::memcmp(&recording_->communicators[k], &described, sizeof(described)) == 0) return k;
  }
  if (recording_->communicator_count == Recording::max_communicators) return unset;
  recording_->communicators[recording_->communicator_count] = described;
  return recording_->communicator_count++;
}

const Communicators::Entry* Communicators::find(MPI_Comm comm) noexcept {
  const std::uint64_t handle = word_of(comm);
  for (int slot = 0; slot < end_; ++slot) {
    if (entries_[slot].handle == handle) return &entries_[slot];
  }
  return add(comm);
}

const Communicators::Entry* Communicators::add(MPI_Comm comm) noexcept {
  if (comm == MPI_COMM_NULL) return nullptr;
  const std::lock_guard<std::mutex> lock{mutex_};
  int slot = 0;
  while (slot < end_ && entries_[slot].handle != 0) ++slot;
  if (slot == max_communicators) return nullptr;
  Communicator described;
  std::memset(&described, 0, sizeof(described));
  int is_inter = 0;
  int size = 0;
  PMPI_Comm_test_inter(comm, &is_inter);
  PMPI_Comm_rank(comm, &described.rank);
  MPI_Group group = group_of(comm);
  PMPI_Group_size(group, &size);
  MPI_Group world_group = MPI_GROUP_NULL;
  PMPI_Comm_group(MPI_COMM_WORLD, &world_group);
  const auto bytes = static_cast<std::size_t>(size > 0 ? size : 1) * sizeof(std::int32_t);
  auto* ranks = static_cast<std::int32_t*>(std::malloc(bytes));
  auto* world = static_cast<std::int32_t*>(std::malloc(bytes));
  if (ranks == nullptr || world == nullptr) return std::free(ranks), std::free(world), nullptr;
  for (int k = 0; k < size; ++k) ranks[k] = k;
  PMPI_Group_translate_ranks(group, size, ranks, world_group, world);
  PMPI_Group_free(&group);
  PMPI_Group_free(&world_group);
  described.slot = slot;
  described.size = size;
  described.inter = is_inter;
  describe_members(world, size, described);
  const bool is_identity = std::memcmp(ranks, world, bytes) == 0 && size > 0;
  std::free(ranks);
  if (is_identity) std::free(world);
  entries_[slot] = {word_of(comm), find_or_add_description(described), slot, described.rank,
                    size,          is_identity ? nullptr : world};
  end_ = std::max(end_, slot + 1);
  return &entries_[slot];
}

int Communicators::world_rank_in(MPI_Comm comm, int rank) noexcept {
  MPI_Group group = group_of(comm);
  MPI_Group world_group = MPI_GROUP_NULL;
  int world = MPI_UNDEFINED;
  PMPI_Comm_group(MPI_COMM_WORLD, &world_group);
  PMPI_Group_translate_ranks(group, 1, &rank, world_group, &world);
  PMPI_Group_free(&group);
  PMPI_Group_free(&world_group);
  return world == MPI_UNDEFINED ? -1 : world;
}

void Communicators::note_created_while_paused(MPI_Comm comm) {
  int is_inter = 0;
  if (comm != MPI_COMM_NULL) PMPI_Comm_test_inter(comm, &is_inter);
  if (comm == MPI_COMM_NULL || is_inter != 0) return;
  const std::lock_guard<std::mutex> lock{mutex_};
  created_while_paused_.push_back(comm);
}

void Communicators::note_freed_while_paused(MPI_Comm comm) noexcept {
  {
    const std::lock_guard<std::mutex> lock{mutex_};
    std::erase(created_while_paused_, comm);
  }
  remove(comm);
}

void Communicators::add_created_while_paused() noexcept {
  std::vector<MPI_Comm> created;
  {
    const std::lock_guard<std::mutex> lock{mutex_};
    created.swap(created_while_paused_);
  }
  for (const MPI_Comm comm : created) find(comm);
}

void Communicators::remove(MPI_Comm comm) noexcept {
  const std::lock_guard<std::mutex> lock{mutex_};
  const std::uint64_t handle = word_of(comm);
  for (Entry& entry : entries_) {
    if (entry.handle != handle) continue;
    std::free(entry.world);
    entry = {};
    return;
  }
}

}  // namespace stressbench::trace
