#include "replay/replay_plan.hpp"

#include <algorithm>
#include <limits>

#include "core/checked.hpp"
#include "core/error.hpp"
#include "replay/datatypes.hpp"

namespace stressbench::replay {
namespace {

constexpr std::int64_t int_max = std::numeric_limits<int>::max();

void skip_call(ReplayState& state, const Instruction& i) {
  if (i.request >= 0) state.requests.skip(i.request);
}

}  // namespace

bool is_reordered(const trace::RankRecord& record) {
  return std::ranges::any_of(record.calls, [&](const trace::Call& call) {
    const Operation* const operation = find_operation(call.op);
    if (operation == nullptr || !call.made) return false;
    if (operation->argument_kind != ArgumentKind::cartesian && operation->argument_kind != ArgumentKind::adjacent)
      return false;
    const auto known = [&](int number) {
      return number >= 0 && static_cast<std::size_t>(number) < record.comms.size();
    };
    if (!known(*call.made) || !known(call.comm)) return false;
    const trace::Communicator& new_comm = record.comms[static_cast<std::size_t>(*call.made)];
    const trace::Communicator& from = record.comms[static_cast<std::size_t>(call.comm)];
    return new_comm.rank != from.rank ||
           (operation->argument_kind == ArgumentKind::adjacent && new_comm.size != from.size);
  });
}

ReplayPlan::ReplayPlan(const trace::RankRecord& record, PlanOptions options)
    : record_(record), options_(std::move(options)) {
  for (std::size_t c = 0; c < record.comms.size(); ++c) {
    if (record.comms[c].is_intercommunicator) {
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
    if (operation != nullptr && operation->argument_kind == ArgumentKind::window) created_windows_.insert(call.window);
    file_slots_ = std::max(file_slots_, static_cast<std::size_t>(std::max(call.file, -1) + 1));
    for (const int slot : call.requests) slots = std::max(slots, slot + 1);
    for (const int slot : call.done) slots = std::max(slots, slot + 1);
  }
  request_buffer_bytes_.assign(static_cast<std::size_t>(slots), 0);
  window_bytes_.assign(static_cast<std::size_t>(windows), 0);
  find_topologies();
  for (std::size_t c = 0; c < record.calls.size(); ++c) {
    try {
      instructions_.push_back(make_instruction(record.calls[c]));
    } catch (const UserMistake& mistake) {
      throw UserMistake("rank {}, call {} (MPI_{}): {}", record.rank, c, record.calls[c].op, mistake.what());
    }
  }
  check_epochs();
  find_preexisting_requests();
  assign_sent_bytes_to_completions();
  equalise_swappable_buffers(record.calls, request_buffer_bytes_);
  compute_attached_buffer_bytes();
}

ReplayPlan::~ReplayPlan() {
  if (placeholder_reduction_ != MPI_OP_NULL) MPI_Op_free(&placeholder_reduction_);
  for (MPI_Datatype& type : types_) MPI_Type_free(&type);
  for (MPI_Group& group : groups_) MPI_Group_free(&group);
}

MPI_Op ReplayPlan::placeholder_reduction() {
  if (placeholder_reduction_ == MPI_OP_NULL) {
    mpi::check(MPI_Op_create([](void*, void*, int*, MPI_Datatype*) {}, 1, &placeholder_reduction_), "MPI_Op_create");
  }
  return placeholder_reduction_;
}

ReplayState ReplayPlan::state() const {
  // At least one byte: some libraries reject a null pointer even for zero elements.
  const auto at_least_one = [](std::size_t bytes) { return std::max<std::size_t>(bytes, 1); };
  ReplayState state{Communicators(options_.world, record_.comms),
                    Requests(request_buffer_bytes_, max_requests_per_call_),
                    Buffer(at_least_one(send_buffer_bytes_)),
                    Buffer(at_least_one(receive_buffer_bytes_)),
                    {},
                    Files(file_slots_),
                    Windows(window_bytes_)};
  std::size_t probes = 0;
  for (const trace::Call& call : record_.calls) probes += call.op == "Mprobe" || call.op == "Improbe" ? 1 : 0;
  if (probes > 0) state.matched_messages.reserve(std::max<std::size_t>(probes, 1024));
  return state;
}

Instruction ReplayPlan::make_instruction(const trace::Call& call) {
  require_replayable(call, options_.files());
  Instruction i;
  const Operation* const operation = find_operation(call.op);
  i.request = call.request;
  if (is_skipped(call.op, options_.files())) {
    i.execute = skip_call;
    return i;
  }
  i.execute = operation->execution.execute;
  i.name = operation->name;
  i.kind = operation->request_kind;
  i.comm = call.comm;
  i.tag = call.tag == trace::Call::any_tag ? MPI_ANY_TAG : call.tag;
  i.receive_tag = call.receive_tag == trace::Call::any_tag ? MPI_ANY_TAG : call.receive_tag;
  i.root = call.root;
  i.in_place = call.in_place;
  plan_arguments(call, operation->argument_kind, i);
  return i;
}

void ReplayPlan::plan_arguments(const trace::Call& call, ArgumentKind argument_kind, Instruction& i) {
  if (argument_kind == ArgumentKind::completion) return plan_completion(call, i);
  i.peer = partner(call, call.peer);
  i.source = partner(call, call.source);
  if (call.root < 0 || call.root >= communicator(call.comm).size)
    throw UserMistake("root {} in a communicator of {} ranks", call.root, communicator(call.comm).size);
  switch (argument_kind) {
    case ArgumentKind::nothing:
    case ArgumentKind::envelope:
      return;
    case ArgumentKind::window:
    case ArgumentKind::epoch:
    case ArgumentKind::put:
    case ArgumentKind::get:
    case ArgumentKind::fetch:
      return plan_one_sided(call, argument_kind, i);
    case ArgumentKind::creation:
    case ArgumentKind::split:
    case ArgumentKind::grouped:
    case ArgumentKind::cartesian:
    case ArgumentKind::sub_cartesian:
    case ArgumentKind::adjacent:
      return plan_communicator_creation(call, argument_kind, i);
    default:
      break;
  }
  const Element element = element_of(call);
  i.type = element.type;
  switch (argument_kind) {
    case ArgumentKind::file_open:
    case ArgumentKind::file_move:
    case ArgumentKind::file_other:
    case ArgumentKind::file_view:
      return plan_file_call(call, argument_kind, i);
    case ArgumentKind::send:
      i.count = count(element, call.bytes);
      return reserve_send_buffer(i, element, call.bytes);
    case ArgumentKind::receive:
      i.receive_count = count(element, call.bytes);
      return reserve_receive_buffer(i, element, call.bytes);
    case ArgumentKind::send_receive:
      i.count = count(element, call.bytes);
      i.receive_count = count(element, call.receive_bytes.value_or(call.bytes));
      reserve_send_buffer(i, element, call.bytes);
      return reserve_receive_buffer(i, element, call.receive_bytes.value_or(call.bytes));
    case ArgumentKind::replace:
      i.count = count(element, call.bytes);
      return reserve_receive_buffer(i, element, call.bytes);
    case ArgumentKind::neighbour_allgather:
    case ArgumentKind::neighbour_allgather_blocks:
    case ArgumentKind::neighbour_alltoall:
    case ArgumentKind::neighbour_alltoall_blocks:
      return plan_neighbour_collective(call, argument_kind, i);
    default:
      return plan_collective(call, argument_kind, i);
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
  const bool is_user_defined = !call.reduction.empty() && !reduction_of(call.reduction);
  const auto named = is_user_defined ? std::nullopt : datatype_of(call.type);
  if (named && fits(call.unit)) {
    int size = 0;
    MPI_Aint lowest = 0;
    MPI_Aint extent = 0;
    mpi::check(MPI_Type_size(*named, &size), "MPI_Type_size");
    mpi::check(MPI_Type_get_extent(*named, &lowest, &extent), "MPI_Type_get_extent");
    if (size == call.unit) return {*named, size, std::max<std::int64_t>(extent, size)};
  }
  // The byte count exceeds an int: use elements of the captured size.
  if (std::ranges::max(sizes) > int_max && call.reduction.empty() && call.unit > 1 && call.unit <= int_max &&
      fits(call.unit)) {
    return {contiguous_bytes_type(call.unit), call.unit, call.unit};
  }
  return {};
}

MPI_Datatype ReplayPlan::contiguous_bytes_type(std::int64_t bytes) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  mpi::check(MPI_Type_contiguous(static_cast<int>(bytes), MPI_BYTE, &type), "MPI_Type_contiguous");
  types_.push_back(type);
  mpi::check(MPI_Type_commit(&types_.back()), "MPI_Type_commit");
  return types_.back();
}

int ReplayPlan::count(const Element& element, std::int64_t bytes) const {
  const std::int64_t elements = bytes / element.unit;
  if (elements > int_max)
    throw UserMistake("{} elements in one message; at most {} can be replayed", elements, int_max);
  return static_cast<int>(elements);
}

std::size_t ReplayPlan::memory_bytes(const Element& element, std::int64_t bytes) {
  return static_cast<std::size_t>(checked::product(bytes / element.unit, element.extent));
}

void ReplayPlan::reserve_send_buffer(Instruction& i, const Element& element, std::int64_t bytes) {
  i.sent_bytes = memory_bytes(element, bytes);
  send_buffer_bytes_ = std::max(send_buffer_bytes_, i.sent_bytes);
}

void ReplayPlan::reserve_receive_buffer(const Instruction& i, const Element& element, std::int64_t bytes) {
  std::size_t& reserved =
      i.request < 0 ? receive_buffer_bytes_ : request_buffer_bytes_[static_cast<std::size_t>(i.request)];
  // At least one byte, since a receive of zero bytes needs a valid buffer, too.
  reserved = std::max({reserved, memory_bytes(element, bytes), std::size_t{1}});
}

const int* ReplayPlan::store(std::vector<int> values) { return int_lists_.emplace_back(std::move(values)).data(); }

}  // namespace stressbench::replay
