#include "replay/replay_plan.hpp"

#include <algorithm>
#include <limits>

#include "core/error.hpp"
#include "replay/datatypes.hpp"

namespace stressbench::replay {
namespace {

constexpr std::int64_t int_max = std::numeric_limits<int>::max();

void left_out(ReplayState& state, const Instruction& i) {
  if (i.request >= 0) state.requests.leave_out(i.request);
}

}  // namespace

bool reorders(const trace::RankRecord& record) {
  return std::ranges::any_of(record.calls, [&](const trace::Call& call) {
    const Operation* const operation = find_operation(call.op);
    if (operation == nullptr || !call.made) return false;
    if (operation->shape != Shape::cartesian && operation->shape != Shape::adjacent) return false;
    const auto known = [&](int number) {
      return number >= 0 && static_cast<std::size_t>(number) < record.comms.size();
    };
    if (!known(*call.made) || !known(call.comm)) return false;
    const trace::Communicator& made = record.comms[static_cast<std::size_t>(*call.made)];
    const trace::Communicator& from = record.comms[static_cast<std::size_t>(call.comm)];
    return made.rank != from.rank || (operation->shape == Shape::adjacent && made.size != from.size);
  });
}

ReplayPlan::ReplayPlan(const trace::RankRecord& record, PlanOptions options)
    : record_(record), options_(std::move(options)) {
  for (std::size_t c = 0; c < record.comms.size(); ++c) {
    if (record.comms[c].between_groups) {
      throw UserMistake("rank {}: communicator {} joins two groups; intercommunicators are not replayed", record.rank,
                        c);
    }
  }
  int slots = 0;
  int windows = 0;
  for (const trace::Call& call : record.calls) {
    slots = std::max(slots, call.request + 1);
    windows = std::max(windows, call.window + 1);
    const Operation* const operation = find_operation(call.op);
    if (operation != nullptr && operation->shape == Shape::window) windows_made_.insert(call.window);
    file_slots_ = std::max(file_slots_, static_cast<std::size_t>(std::max(call.file, -1) + 1));
    for (const int slot : call.requests) slots = std::max(slots, slot + 1);
    for (const int slot : call.done) slots = std::max(slots, slot + 1);
  }
  memory_.assign(static_cast<std::size_t>(slots), 0);
  window_memory_.assign(static_cast<std::size_t>(windows), 0);
  find_topologies();
  for (std::size_t c = 0; c < record.calls.size(); ++c) {
    try {
      instructions_.push_back(arrange(record.calls[c]));
    } catch (const UserMistake& mistake) {
      throw UserMistake("rank {}, call {} (MPI_{}): {}", record.rank, c, record.calls[c].op, mistake.what());
    }
  }
  check_epochs();
  share_memory_of_any();
  count_attached();
}

ReplayPlan::~ReplayPlan() {
  if (own_reduction_ != MPI_OP_NULL) MPI_Op_free(&own_reduction_);
  for (MPI_Datatype& type : types_) MPI_Type_free(&type);
  for (MPI_Group& group : groups_) MPI_Group_free(&group);
}

MPI_Op ReplayPlan::own_reduction() {
  if (own_reduction_ == MPI_OP_NULL) {
    mpi::must(MPI_Op_create([](void*, void*, int*, MPI_Datatype*) {}, 1, &own_reduction_), "MPI_Op_create");
  }
  return own_reduction_;
}

ReplayState ReplayPlan::state() const {
  // At least one byte: some libraries reject a null pointer even for zero elements.
  const auto some = [](std::size_t bytes) { return std::max<std::size_t>(bytes, 1); };
  ReplayState state{Communicators(options_.world, record_.comms.size()),
                    Requests(memory_, widest_),
                    Buffer(some(outgoing_)),
                    Buffer(some(incoming_)),
                    {},
                    Files(file_slots_),
                    Windows(window_memory_)};
  std::size_t probes = 0;
  for (const trace::Call& call : record_.calls) probes += call.op == "Mprobe" || call.op == "Improbe" ? 1 : 0;
  if (probes > 0) state.matched.reserve(std::max<std::size_t>(probes, 1024));
  return state;
}

Instruction ReplayPlan::arrange(const trace::Call& call) {
  must_be_known(call.op, options_.files());
  Instruction i;
  const Operation* const operation = find_operation(call.op);
  i.request = call.request;
  if (is_left_out(call.op, options_.files())) {
    i.execute = left_out;
    return i;
  }
  i.execute = operation->execute;
  i.name = operation->name;
  i.kind = operation->kind;
  i.comm = call.comm;
  i.tag = call.tag == trace::Call::any_tag ? MPI_ANY_TAG : call.tag;
  i.receive_tag = call.receive_tag == trace::Call::any_tag ? MPI_ANY_TAG : call.receive_tag;
  i.root = call.root;
  i.in_place = call.in_place;
  lay_out(call, operation->shape, i);
  return i;
}

void ReplayPlan::lay_out(const trace::Call& call, Shape shape, Instruction& i) {
  if (shape == Shape::completion) return lay_out_requests(call, i);
  i.peer = partner(call, call.peer);
  i.source = partner(call, call.source);
  if (call.root < 0 || call.root >= communicator(call.comm).size)
    throw UserMistake("root {} in a communicator of {} ranks", call.root, communicator(call.comm).size);
  switch (shape) {
    case Shape::nothing:
    case Shape::envelope:
      return;
    case Shape::window:
    case Shape::epoch:
    case Shape::put:
    case Shape::get:
    case Shape::fetch:
      return lay_out_one_sided(call, shape, i);
    case Shape::creation:
    case Shape::split:
    case Shape::grouped:
    case Shape::cartesian:
    case Shape::sub_cartesian:
    case Shape::adjacent:
      return lay_out_creation(call, shape, i);
    default:
      break;
  }
  const Element element = element_of(call);
  i.type = element.type;
  switch (shape) {
    case Shape::file_open:
    case Shape::file_move:
    case Shape::file_other:
    case Shape::file_view:
      return lay_out_file(call, shape, i);
    case Shape::send:
      i.count = count(element, call.bytes);
      return give(element, call.bytes);
    case Shape::receive:
      i.receive_count = count(element, call.bytes);
      return get(i, element, call.bytes);
    case Shape::send_receive:
      i.count = count(element, call.bytes);
      i.receive_count = count(element, call.receive_bytes.value_or(call.bytes));
      give(element, call.bytes);
      return get(i, element, call.receive_bytes.value_or(call.bytes));
    case Shape::replace:
      i.count = count(element, call.bytes);
      return get(i, element, call.bytes);
    case Shape::neighbour_allgather:
    case Shape::neighbour_allgather_blocks:
    case Shape::neighbour_alltoall:
    case Shape::neighbour_alltoall_blocks:
      return lay_out_neighbours(call, shape, i);
    default:
      return lay_out_collective(call, shape, i);
  }
}

ReplayPlan::Element ReplayPlan::element_of(const trace::Call& call) {
  std::vector<std::int64_t> sizes{call.bytes, call.receive_bytes.value_or(0)};
  sizes.insert(sizes.end(), call.counts.begin(), call.counts.end());
  sizes.insert(sizes.end(), call.receive_counts.begin(), call.receive_counts.end());
  for (const std::int64_t size : sizes) {
    if (size < 0) throw UserMistake("has a message of {} bytes", size);
  }
  const auto fits = [&](std::int64_t unit) {
    return unit > 0 && std::ranges::all_of(sizes, [&](std::int64_t size) { return size % unit == 0; });
  };
  const bool own_reduction = !call.reduction.empty() && !reduction_of(call.reduction);
  const auto named = own_reduction ? std::nullopt : datatype_of(call.type);
  if (named && fits(call.unit)) {
    int size = 0;
    MPI_Aint lowest = 0;
    MPI_Aint extent = 0;
    mpi::must(MPI_Type_size(*named, &size), "MPI_Type_size");
    mpi::must(MPI_Type_get_extent(*named, &lowest, &extent), "MPI_Type_get_extent");
    if (size == call.unit) return {*named, size, std::max<std::int64_t>(extent, size)};
  }
  // The byte count exceeds an int: use elements of the captured size.
  if (std::ranges::max(sizes) > int_max && call.reduction.empty() && call.unit > 1 && call.unit <= int_max &&
      fits(call.unit)) {
    return {bytes_in_a_row(call.unit), call.unit, call.unit};
  }
  return {};
}

MPI_Datatype ReplayPlan::bytes_in_a_row(std::int64_t bytes) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  mpi::must(MPI_Type_contiguous(static_cast<int>(bytes), MPI_BYTE, &made), "MPI_Type_contiguous");
  types_.push_back(made);
  mpi::must(MPI_Type_commit(&types_.back()), "MPI_Type_commit");
  return types_.back();
}

int ReplayPlan::count(const Element& element, std::int64_t bytes) const {
  const std::int64_t elements = bytes / element.unit;
  if (elements > int_max)
    throw UserMistake("{} elements in one message; at most {} can be replayed", elements, int_max);
  return static_cast<int>(elements);
}

void ReplayPlan::give(const Element& element, std::int64_t bytes) {
  outgoing_ = std::max(outgoing_, static_cast<std::size_t>(bytes / element.unit * element.extent));
}

void ReplayPlan::get(const Instruction& i, const Element& element, std::int64_t bytes) {
  std::size_t& room = i.request < 0 ? incoming_ : memory_[static_cast<std::size_t>(i.request)];
  // At least one byte, since a receive of zero bytes needs a valid buffer, too.
  room = std::max({room, static_cast<std::size_t>(bytes / element.unit * element.extent), std::size_t{1}});
}

const int* ReplayPlan::keep(std::vector<int> values) { return numbers_.emplace_back(std::move(values)).data(); }

}  // namespace stressbench::replay
