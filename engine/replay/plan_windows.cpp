// Planning of one-sided calls: windows, transfers, and the check that all epochs are closed at the end of the sequence.

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <string_view>

#include "core/error.hpp"
#include "replay/datatypes.hpp"
#include "replay/replay_plan.hpp"

namespace stressbench::replay {
namespace {

int assertions_of(const trace::Call& call) {
  const std::map<std::string_view, int> known{{"NOCHECK", MPI_MODE_NOCHECK},
                                              {"NOSTORE", MPI_MODE_NOSTORE},
                                              {"NOPUT", MPI_MODE_NOPUT},
                                              {"NOPRECEDE", MPI_MODE_NOPRECEDE},
                                              {"NOSUCCEED", MPI_MODE_NOSUCCEED}};
  int all = 0;
  for (const std::string& name : call.assertion) {
    const auto found = known.find(name);
    if (found == known.end()) throw UserMistake("asserts '{}', which is unknown to this program", name);
    all |= found->second;
  }
  return all;
}

bool takes_one_element(const trace::Call& call) { return call.op == "Fetch_and_op" || call.op == "Compare_and_swap"; }

}  // namespace

void ReplayPlan::plan_one_sided(const trace::Call& call, ArgumentKind argument_kind, Instruction& i) {
  if (call.window < 0 || !created_windows_.contains(call.window))
    throw UserMistake("names a window that was made by a call which is not in the trace");
  Access& access = i.access;
  access.window = call.window;
  access.displacement = call.displacement;
  access.lock = call.lock == "exclusive" ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED;
  access.assertion = assertions_of(call);
  if (call.op == "Win_post") access.group = group_of(call.sources);
  if (call.op == "Win_start") access.group = group_of(call.destinations);
  if (argument_kind == ArgumentKind::epoch) return;
  if (argument_kind == ArgumentKind::window) {
    if (call.size < 0 || call.unit < 1 || call.unit > std::numeric_limits<int>::max())
      throw UserMistake("{} bytes in units of {}", call.size, call.unit);
    access.size = static_cast<MPI_Aint>(call.size);
    access.unit = static_cast<int>(call.unit);
    if (call.op != "Win_create") return;
    std::size_t& memory = window_bytes_[static_cast<std::size_t>(call.window)];
    memory = std::max({memory, static_cast<std::size_t>(call.size), std::size_t{1}});
    return;
  }
  const Element element = element_of(call);
  i.type = element.type;
  i.count = count(element, call.bytes);
  // One-sided calls accept neither user-defined reductions nor arithmetic on MPI_BYTE. MPI_REPLACE works on all types.
  if (!call.reduction.empty()) {
    const auto known = reduction_of(call.reduction);
    i.operation =
        known && (element.type != MPI_BYTE || call.type == "BYTE" || *known == MPI_NO_OP) ? *known : MPI_REPLACE;
  }
  const bool fetches = argument_kind == ArgumentKind::fetch;
  const std::int64_t reached = fetches ? call.receive_bytes.value_or(call.bytes) : call.bytes;
  access.bytes = static_cast<std::int64_t>(memory_bytes(element, reached));
  if (takes_one_element(call) && std::min(call.bytes, reached) < element.unit)
    throw UserMistake("{} bytes; it takes one element, of {}", std::min(call.bytes, reached), element.unit);
  if (call.bytes > reached && call.reduction != "NO_OP")
    throw UserMistake("combines {} bytes with {} bytes of a window", call.bytes, reached);
  if (call.peer != trace::Call::none && !is_within(access, options_.windows)) compares_accesses_ = true;
  if (argument_kind != ArgumentKind::get) reserve_send_buffer(i, element, call.bytes);
  if (argument_kind == ArgumentKind::put) return;
  i.receive_count = count(element, reached);
  reserve_receive_buffer(i, element, reached);
}

MPI_Group ReplayPlan::group_of(const std::vector<int>& world_ranks) {
  for (const int rank : world_ranks) partner({}, rank);
  MPI_Group all = MPI_GROUP_NULL;
  mpi::check(MPI_Comm_group(options_.world, &all), "MPI_Comm_group");
  MPI_Group group = MPI_GROUP_NULL;
  mpi::check(MPI_Group_incl(all, static_cast<int>(world_ranks.size()), world_ranks.data(), &group), "MPI_Group_incl");
  mpi::check(MPI_Group_free(&all), "MPI_Group_free");
  // MPI_GROUP_EMPTY is predefined and must not be freed.
  if (group != MPI_GROUP_EMPTY) groups_.push_back(group);
  return group;
}

// Throws UserMistake if an epoch is still open at the end: its window could not be freed and created again.
void ReplayPlan::check_epochs() const {
  struct Epoch {
    std::string_view opened;
    std::array<std::string_view, 2> closed;
  };
  constexpr std::array epochs{Epoch{"Win_lock", {"Win_unlock", ""}}, Epoch{"Win_lock_all", {"Win_unlock_all", ""}},
                              Epoch{"Win_start", {"Win_complete", ""}}, Epoch{"Win_post", {"Win_wait", "Win_test"}}};
  for (const Epoch& epoch : epochs) {
    std::map<int, std::int64_t> open;
    for (const trace::Call& call : record_.calls) {
      if (call.op == epoch.opened) open[call.window] += call.times;
      if (std::ranges::find(epoch.closed, call.op) != epoch.closed.end()) open[call.window] -= call.times;
    }
    for (const auto& [window, times] : open) {
      if (times == 0) continue;
      throw UserMistake("rank {}: the captured part begins or ends between MPI_{} and MPI_{} of window {}",
                        record_.rank, epoch.opened, epoch.closed[0], window);
    }
  }
}

}  // namespace stressbench::replay
