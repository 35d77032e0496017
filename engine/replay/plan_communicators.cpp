// Planning of the calls that create communicators: members and topologies.

#include <algorithm>
#include <array>
#include <limits>

#include "core/error.hpp"
#include "replay/replay_plan.hpp"

namespace stressbench::replay {
namespace {

bool is_graph(const trace::Call& call) {
  const Operation* const operation = find_operation(call.op);
  return operation != nullptr && operation->argument_kind == ArgumentKind::adjacent;
}

constexpr auto several_topologies =
    "its communicator has the number of another one with other neighbours; a trace does not tell them apart";

bool is_copy(const trace::Call& call) { return call.op.starts_with("Comm_dup") || call.op == "Comm_idup"; }

}  // namespace

void ReplayPlan::plan_communicator_creation(const trace::Call& call, ArgumentKind argument_kind, Instruction& i) {
  Creation& creation = i.creation;
  creation.new_comm = call.made.value_or(-1);
  creation.reordered = options_.reordered;
  const trace::Communicator* const new_comm = call.made ? &communicator(*call.made) : nullptr;
  creation.colour = new_comm == nullptr ? MPI_UNDEFINED : 0;
  creation.key = new_comm == nullptr ? 0 : new_comm->rank;
  // The handle from MPI_Comm_idup may not be used before its request completes, so copies are compared here.
  if (new_comm != nullptr && is_copy(call)) {
    const trace::Communicator& from = communicator(call.comm);
    if (new_comm->size != from.size || new_comm->rank != from.rank)
      throw UserMistake("gives number {} of {} ranks; its communicator has number {} of {}", new_comm->rank,
                        new_comm->size, from.rank, from.size);
  }
  if (argument_kind == ArgumentKind::split) {
    creation.colour = call.colour < 0 ? MPI_UNDEFINED : call.colour;
    creation.key = call.key;
  } else if (argument_kind == ArgumentKind::grouped) {
    if (new_comm == nullptr) throw UserMistake("gave no communicator");
    creation.members = members(*new_comm);
  } else if (argument_kind == ArgumentKind::cartesian) {
    if (call.dims.empty() || call.dims.size() != call.periods.size())
      throw UserMistake("{} dims and {} periods", call.dims.size(), call.periods.size());
    creation.dimensions = static_cast<int>(call.dims.size());
    creation.dims = store(call.dims);
    creation.periods = store(call.periods);
  } else if (argument_kind == ArgumentKind::sub_cartesian) {
    if (ambiguous_topologies_.contains(call.comm)) throw UserMistake(several_topologies);
    const auto mesh = topologies_.find(call.comm);
    const bool has_mesh = mesh != topologies_.end() && mesh->second.dimensions.has_value();
    if (!has_mesh || mesh->second.dimensions != static_cast<int>(call.remain.size())) {
      throw UserMistake("keeps some of {} dimensions, but its communicator was made with {}", call.remain.size(),
                        has_mesh ? std::to_string(*mesh->second.dimensions) : "none");
    }
    creation.dims = store(call.remain);
  } else if (argument_kind == ArgumentKind::adjacent) {
    for (const int rank : call.sources) partner(call, rank);
    for (const int rank : call.destinations) partner(call, rank);
    creation.indegree = static_cast<int>(call.sources.size());
    creation.outdegree = static_cast<int>(call.destinations.size());
    creation.sources = store(call.sources);
    creation.destinations = store(call.destinations);
  } else if (new_comm != nullptr && !is_copy(call)) {
    // The lowest world rank of the members is their common colour.
    if (!new_comm->members) throw UserMistake("the members of its communicator are too irregular to be in the trace");
    int lowest = std::numeric_limits<int>::max();
    for (const trace::Run& run : *new_comm->members) {
      lowest = std::min({lowest, run.first, run.first + run.stride * (run.count - 1)});
    }
    creation.colour = lowest;
  }
}

MPI_Group ReplayPlan::members(const trace::Communicator& new_comm) {
  if (!new_comm.members) throw UserMistake("the members of its communicator are too irregular to be in the trace");
  std::vector<std::array<int, 3>> ranges;
  for (const trace::Run& run : *new_comm.members) {
    const int stride = run.stride == 0 ? 1 : run.stride;
    ranges.push_back({run.first, run.first + stride * (run.count - 1), stride});
  }
  MPI_Group all = MPI_GROUP_NULL;
  mpi::check(MPI_Comm_group(options_.world, &all), "MPI_Comm_group");
  groups_.push_back(all);
  MPI_Group members_group = MPI_GROUP_NULL;
  mpi::check(MPI_Group_range_incl(all, static_cast<int>(ranges.size()), reinterpret_cast<int(*)[3]>(ranges.data()),
                                  &members_group),
             "MPI_Group_range_incl");
  groups_.push_back(members_group);
  return members_group;
}

ReplayPlan::Degrees ReplayPlan::degrees(const trace::Call& call) const {
  const auto found = topologies_.find(call.comm);
  if (ambiguous_topologies_.contains(call.comm)) throw UserMistake(several_topologies);
  if (found != topologies_.end()) return found->second;
  throw UserMistake(
      "its communicator was not made by MPI_Cart_create, Cart_sub, Graph_create, Dist_graph_create or "
      "Dist_graph_create_adjacent in the captured part; neighbours of others are not in a trace");
}

// Collects the degrees of all topology communicators. A number may stand for several communicators of the program, one
// after the other. If their degrees differ, those of a call, and hence the size of its buffers, are unknown, and so
// they are for copies.
void ReplayPlan::find_topologies() {
  std::multimap<int, int> copies;
  std::vector<int> found;
  std::vector<int> ambiguous;
  const auto add = [&](int number, const Degrees& degrees) {
    const auto [known, is_new] = topologies_.try_emplace(number, degrees);
    if (is_new) found.push_back(number);
    if (known->second != degrees) ambiguous.push_back(number);
  };
  for (const trace::Call& call : record_.calls) {
    if (!call.made) continue;
    if (call.op == "Cart_create") {
      const int neighbours = 2 * static_cast<int>(call.dims.size());
      add(*call.made, {neighbours, neighbours, static_cast<int>(call.dims.size())});
    } else if (call.op == "Cart_sub") {
      const auto remaining =
          static_cast<int>(std::ranges::count_if(call.remain, [](int remains) { return remains != 0; }));
      add(*call.made, {2 * remaining, 2 * remaining, remaining});
    } else if (is_graph(call)) {
      add(*call.made, {static_cast<int>(call.sources.size()), static_cast<int>(call.destinations.size()), {}});
    } else if (is_copy(call)) {
      copies.emplace(call.comm, *call.made);
    }
  }
  while (!found.empty()) {
    const int number = found.back();
    found.pop_back();
    const auto [first, end] = copies.equal_range(number);
    for (auto copy = first; copy != end; ++copy) add(copy->second, topologies_.at(number));
  }
  while (!ambiguous.empty()) {
    const int number = ambiguous.back();
    ambiguous.pop_back();
    if (!ambiguous_topologies_.insert(number).second) continue;
    const auto [first, end] = copies.equal_range(number);
    for (auto copy = first; copy != end; ++copy) ambiguous.push_back(copy->second);
  }
}

const trace::Communicator& ReplayPlan::communicator(int number) const {
  if (number < 0 || static_cast<std::size_t>(number) >= record_.comms.size())
    throw UserMistake("names communicator {}, but the trace has {}", number, record_.comms.size());
  return record_.comms[static_cast<std::size_t>(number)];
}

int ReplayPlan::partner(const trace::Call& call, int rank) const {
  const int size = communicator(call.comm).size;
  if (rank == trace::Call::none) return MPI_PROC_NULL;
  if (rank == trace::Call::any_source) return MPI_ANY_SOURCE;
  if (rank < 0 || rank >= size) throw UserMistake("rank {} in a communicator of {}", rank, size);
  return rank;
}

}  // namespace stressbench::replay
