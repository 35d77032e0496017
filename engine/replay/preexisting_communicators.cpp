#include "replay/preexisting_communicators.hpp"

#include <algorithm>
#include <tuple>

#include "core/error.hpp"

namespace stressbench::replay {
namespace {

constexpr std::size_t predefined = 2;  // MPI_COMM_WORLD and MPI_COMM_SELF
constexpr int tag = 0;

std::vector<int> expanded(const std::vector<trace::Run>& runs) {
  std::vector<int> members;
  for (const trace::Run& run : runs) {
    for (int k = 0; k < run.count; ++k) members.push_back(run.first + run.stride * k);
  }
  return members;
}

// Whether each communicator was created in the captured part. Calls are listed in order of first occurrence, so a
// communicator that is used before its creation existed already.
std::vector<bool> created_in_capture(const trace::RankRecord& record) {
  std::vector<bool> seen(record.comms.size(), false);
  std::vector<bool> created(record.comms.size(), false);
  const auto is_known = [&](int number) { return number >= 0 && static_cast<std::size_t>(number) < seen.size(); };
  for (const trace::Call& call : record.calls) {
    if (is_known(call.comm)) seen[static_cast<std::size_t>(call.comm)] = true;
    if (!call.made || !is_known(*call.made) || seen[static_cast<std::size_t>(*call.made)]) continue;
    created[static_cast<std::size_t>(*call.made)] = true;
  }
  return created;
}

}  // namespace

std::vector<PreexistingCommunicator> preexisting_communicators_of(const trace::RankRecord& record) {
  const std::vector<bool> created = created_in_capture(record);
  std::vector<PreexistingCommunicator> comms;
  for (std::size_t number = predefined; number < record.comms.size(); ++number) {
    if (created[number]) continue;
    const trace::Communicator& comm = record.comms[number];
    if (!comm.members) {
      throw UserMistake(
          "rank {}: communicator {} was made before the captured part, and its members are too irregular "
          "to be in the trace",
          record.rank, number);
    }
    comms.push_back({static_cast<int>(number), comm.rank, expanded(*comm.members), 0});
  }
  std::ranges::sort(comms, [](const PreexistingCommunicator& a, const PreexistingCommunicator& b) {
    return std::tie(a.members, a.number) < std::tie(b.members, b.number);
  });
  for (std::size_t k = 1; k < comms.size(); ++k) {
    if (comms[k].members == comms[k - 1].members) comms[k].duplicate_index = comms[k - 1].duplicate_index + 1;
  }
  return comms;
}

std::uint64_t membership_checksum(const PreexistingCommunicator& comm) noexcept {
  std::uint64_t hash = 0x9E3779B97F4A7C15ULL + static_cast<std::uint64_t>(comm.duplicate_index);
  for (const int member : comm.members) {
    hash = (hash ^ static_cast<std::uint64_t>(member)) * 0xBF58476D1CE4E5B9ULL;
    hash ^= hash >> 29U;
  }
  return comm.rank == 0 ? hash * static_cast<std::uint64_t>(comm.members.size() - 1) : 0 - hash;
}

PreexistingCommunicators::~PreexistingCommunicators() {
  for (NumberedHandle& created : handles_) MPI_Comm_free(&created.handle);
}

void PreexistingCommunicators::create(const mpi::Group& group, const std::vector<PreexistingCommunicator>& comms) {
  std::uint64_t sum = 0;
  for (const PreexistingCommunicator& comm : comms) sum += membership_checksum(comm);
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, group.handle()), "MPI_Allreduce");
  if (sum != 0) {
    throw UserMistake(
        "some ranks used a communicator that was made before the captured part, or by a call that is not in the trace, "
        "and other members of it did not; capture from before it is made");
  }
  MPI_Group all_ranks = MPI_GROUP_NULL;
  mpi::check(MPI_Comm_group(group.handle(), &all_ranks), "MPI_Comm_group");
  const PreexistingCommunicator* wrong = nullptr;
  for (const PreexistingCommunicator& comm : comms) {
    MPI_Group members = MPI_GROUP_NULL;
    NumberedHandle& created = handles_.emplace_back(NumberedHandle{comm.number, MPI_COMM_NULL});
    mpi::check(MPI_Group_incl(all_ranks, static_cast<int>(comm.members.size()), comm.members.data(), &members),
               "MPI_Group_incl");
    mpi::check(MPI_Comm_create_group(group.handle(), members, tag, &created.handle), "MPI_Comm_create_group");
    mpi::check(MPI_Group_free(&members), "MPI_Group_free");
    int rank = -1;
    if (created.handle != MPI_COMM_NULL) mpi::check(MPI_Comm_rank(created.handle, &rank), "MPI_Comm_rank");
    if (rank != comm.rank) wrong = &comm;
  }
  mpi::check(MPI_Group_free(&all_ranks), "MPI_Group_free");
  if (wrong == nullptr) return;
  throw UserMistake("communicator {}, which existed before the captured part, names a rank twice", wrong->number);
}

}  // namespace stressbench::replay
