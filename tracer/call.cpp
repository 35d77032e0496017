#include "call.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#if !defined(OPEN_MPI)
// Objects that MPICH's module mpi_f08 passes for ignored statuses.
#pragma weak MPIR_F08_MPI_STATUS_IGNORE_OBJ
#pragma weak MPIR_F08_MPI_STATUSES_IGNORE_OBJ
#endif

namespace stressbench::trace {
namespace {

bool is_ignored(const MPI_Fint* program_statuses) noexcept {
#if !defined(OPEN_MPI)
  for (const void* object : {static_cast<const void*>(&MPIR_F08_MPI_STATUS_IGNORE_OBJ),
                             static_cast<const void*>(&MPIR_F08_MPI_STATUSES_IGNORE_OBJ)}) {
    if (object != nullptr && program_statuses == object) return true;
  }
#endif
  return program_statuses == MPI_F_STATUS_IGNORE || program_statuses == MPI_F_STATUSES_IGNORE;
}

// The program's statuses, or the tracer's if the program ignores them and the tracer needs them.
template <class Status>
Status* statuses_for(bool are_ignored, bool are_needed, Status* program_statuses, Status* tracer_statuses,
                     bool& known) noexcept {
  known = !are_ignored || are_needed;
  return are_ignored && are_needed ? tracer_statuses : program_statuses;
}

}  // namespace

int dimensions_of(MPI_Comm comm) noexcept {
  int topology = MPI_UNDEFINED;
  int dimensions = 0;
  PMPI_Topo_test(comm, &topology);
  if (topology == MPI_CART) PMPI_Cartdim_get(comm, &dimensions);
  return dimensions;
}

CStatuses::CStatuses(Call& call, MPI_Status* program_statuses, int count) noexcept {
  const bool ignored = program_statuses == MPI_STATUS_IGNORE || program_statuses == MPI_STATUSES_IGNORE;
  argument_ = statuses_for(ignored, call.needs_statuses() && count <= Thread::max_statuses, program_statuses,
                           process().thread()->statuses, are_known_);
}

FortranStatuses::FortranStatuses(Call& call, MPI_Fint* program_statuses, int count) noexcept {
  argument_ = statuses_for(is_ignored(program_statuses), call.needs_statuses() && count <= Thread::max_statuses,
                           program_statuses, reinterpret_cast<MPI_Fint*>(process().thread()->statuses), are_known_);
}

Call::Call(Op op, const void* site) noexcept : address_(site) {
  key_.op = static_cast<std::uint16_t>(op);
  if (!process().is_recording() || !is_outermost()) return;
  thread_ = process().thread();
}

void Call::begin_call() noexcept {
  if (process().gaps_are_cpu_time()) {
    gap_end_ns_ = cpu_ns();
    begin_ns_ = now_ns();
  } else {
    gap_end_ns_ = begin_ns_ = now_ns();
  }
}
void Call::end_call() noexcept {
  end_ns_ = now_ns();
  thread_->recording->busy = 1;
}

bool Call::is_bcast() const noexcept {
  const auto op = static_cast<Op>(key_.op);
  return op == Op::Bcast || op == Op::Ibcast;
}
bool Call::is_scatter() const noexcept {
  const auto op = static_cast<Op>(key_.op);
  return op == Op::Scatter || op == Op::Scatterv || op == Op::Iscatter || op == Op::Iscatterv;
}
bool Call::is_alltoall() const noexcept {
  const auto op = static_cast<Op>(key_.op);
  return op == Op::Alltoallv || op == Op::Alltoallw || op == Op::Ialltoallv || op == Op::Ialltoallw;
}
bool Call::is_neighbour() const noexcept {
  const auto op = static_cast<Op>(key_.op);
  return op >= Op::Neighbor_allgather && op <= Op::Ineighbor_alltoallw;
}

void Call::degrees_of(MPI_Comm comm) noexcept {
  int topology = MPI_UNDEFINED;
  PMPI_Topo_test(comm, &topology);
  degrees_known_ = true;
  if (topology == MPI_CART) {
    in_degree_ = out_degree_ = 2 * dimensions_of(comm);
  } else if (topology == MPI_DIST_GRAPH) {
    int weighted = 0;
    PMPI_Dist_graph_neighbors_count(comm, &in_degree_, &out_degree_, &weighted);
  } else if (topology == MPI_GRAPH && comm_ != nullptr) {
    PMPI_Graph_neighbors_count(comm, comm_->rank, &in_degree_);
    out_degree_ = in_degree_;
  }
}

void Call::add_neighbours(MPI_Comm created) noexcept {
  if (created == MPI_COMM_NULL || key_.new_comm < 0) return;
  comm_ = process().communicator(created);
  degrees_of(created);
  std::vector<int> sources(static_cast<std::size_t>(in_degree_));
  std::vector<int> destinations(static_cast<std::size_t>(out_degree_));
  int topology = MPI_UNDEFINED;
  PMPI_Topo_test(created, &topology);
  if (topology == MPI_DIST_GRAPH) {
    // Not MPI_UNWEIGHTED, which is a variable of the MPI library: programs without MPI also load the tracer.
    std::vector<int> weights(static_cast<std::size_t>(std::max(in_degree_, out_degree_)));
    PMPI_Dist_graph_neighbors(created, in_degree_, sources.data(), weights.data(), out_degree_, destinations.data(),
                              weights.data());
  } else {
    PMPI_Graph_neighbors(created, comm_->rank, in_degree_, sources.data());
    destinations = sources;
  }
  add_values(List::sources, in_degree_, [&](int k) { return sources[static_cast<std::size_t>(k)]; });
  add_values(List::destinations, out_degree_, [&](int k) { return destinations[static_cast<std::size_t>(k)]; });
}

void Call::add_displacement(MPI_Aint units) noexcept {
  constexpr int most = 64;
  thread_local MPI_Aint known[most];
  thread_local int count = 0;
  MPI_Aint* const end = known + count;
  if (std::find(known, end, units) == end) {
    if (count == most) return;
    known[count++] = units;
  }
  add_value(List::displacement, units);
}

void Call::add_assertions(int assertion) noexcept {
  constexpr int assertions[] = {MPI_MODE_NOCHECK, MPI_MODE_NOSTORE, MPI_MODE_NOPUT, MPI_MODE_NOPRECEDE,
                                MPI_MODE_NOSUCCEED};
  int values[std::size(assertions)];
  int count = 0;
  for (int k = 0; k < static_cast<int>(std::size(assertions)); ++k) {
    if ((assertion & assertions[k]) != 0) values[count++] = k;
  }
  if (count > 0) add_values(List::assertion, count, [&](int k) { return values[k]; });
}

void Call::add_group_members(List list, MPI_Group group) noexcept {
  MPI_Group world_group = MPI_GROUP_NULL;
  int size = 0;
  PMPI_Comm_group(MPI_COMM_WORLD, &world_group);
  PMPI_Group_size(group, &size);
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::vector<int> world(ranks.size());
  for (int k = 0; k < size; ++k) ranks[static_cast<std::size_t>(k)] = k;
  PMPI_Group_translate_ranks(group, size, ranks.data(), world_group, world.data());
  PMPI_Group_free(&world_group);
  add_values(list, size, [&](int k) { return world[static_cast<std::size_t>(k)]; });
}

void Call::add_filetype(MPI_Datatype type) noexcept {
  MPI_Aint lowest = 0;
  MPI_Aint extent = 0;
  PMPI_Type_get_extent(type, &lowest, &extent);
  const std::int64_t values[] = {process().types().size_of(type), extent};
  add_values(List::filetype, 2, [&](int k) { return values[k]; });
}

bool Call::has_room(int count) noexcept {
  const bool fits = static_cast<std::int64_t>(key_.words) + 2 + count <= Thread::max_list_words;
  lists_incomplete_ = lists_incomplete_ || !fits;
  return fits;
}

void Call::close_file(MPI_File file) noexcept {
  key_.object = process().files().find(word_of(file));
  if (key_.object >= 0) process().files().release(key_.object);
}
void Call::free_window(MPI_Win win) noexcept {
  key_.object = process().windows().find(word_of(win));
  if (key_.object >= 0) process().windows().release(key_.object);
}

void Call::add_request(MPI_Request created, bool persistent) noexcept {
  if (created == MPI_REQUEST_NULL) return;
  const std::uint64_t handle = word_of(created);
  const int slot = persistent ? thread_->add_persistent(handle) : thread_->requests.add(handle);
  key_.request = slot;
  if (slot < 0) return;
  request_slot_ = slot;
  Thread::Request& request = thread_->request_states[slot];
  request.unknown_plus_1 = 0;
  request.is_persistent = persistent;
  request.created = Thread::Request::Created::recorded;
  if (persistent) request.persistent = persistent_request(Communicators::world_rank(comm_, key_.peer));
}

void Call::keep_request(MPI_Comm comm, MPI_Request created) noexcept {
  Thread* const thread = process().known_thread();
  if (thread == nullptr || created == MPI_REQUEST_NULL) return;
  int world = -1;
  if (key_.peer >= 0) {
    world = Communicators::world_rank_in(comm, key_.peer);
    if (world < 0) return;
    key_.peer = world;
  }
  key_.comm = Communicators::world_number;
  const int slot = thread->add_persistent(word_of(created));
  if (slot < 0) return;
  thread->request_states[slot] = {0, true, Thread::Request::Created::while_paused, persistent_request(world)};
}

void Call::drop_request(MPI_Request freed) noexcept {
  Thread* const thread = process().known_thread();
  if (thread == nullptr || freed == MPI_REQUEST_NULL) return;
  if (const int slot = thread->requests.find(word_of(freed)); slot >= 0) thread->requests.release(slot);
}

Thread::Persistent Call::persistent_request(int world) const noexcept {
  Thread::Persistent request{};
  request.op = key_.op;
  request.type = key_.type;
  request.wildcards = key_.wildcards;
  request.comm = key_.comm;
  request.peer = key_.peer;
  request.tag = key_.tag;
  request.unit = key_.unit;
  request.world = world;
  request.call = -1;
  request.bytes = key_.bytes;
  request.site = address_;
  return request;
}

// Whether the slot holds a persistent request that no call of the sequence creates.
bool Call::is_created_outside(int slot) const noexcept {
  if (slot < 0) return false;
  const Thread::Request& request = thread_->request_states[slot];
  return request.is_persistent && request.created != Thread::Request::Created::recorded;
}

// The number of the call that created such a request, which is added to the recording if it is new; -1 for others.
std::int32_t Call::init_of(int slot) noexcept {
  if (!is_created_outside(slot)) return -1;
  Thread::Persistent& request = thread_->request_states[slot].persistent;
  if (request.call >= 0) return request.call;
  Key key;
  key.op = request.op;
  key.wildcards = request.wildcards;
  key.comm = request.comm;
  key.peer = request.peer;
  key.tag = request.tag;
  key.bytes = request.bytes;
  key.type = request.type;
  key.unit = request.unit;
  key.request = slot;
  key.site = process().site(request.site);
  request.call = thread_->recording->intern(key, {});
  return request.call;
}

// Statistics need no more than the bytes of a call.
void Call::add_inits() noexcept {
  if (thread_->recording->header.mode != Mode::capture) return;
  const std::int32_t* const slots = thread_->waited_slots;
  if (!std::any_of(slots, slots + waited_count_, [&](int slot) { return is_created_outside(slot); })) return;
  add_values(List::inits, waited_count_, [&](int k) { return init_of(slots[k]); });
}

void Call::look_up_slots() noexcept {
  if (slots_known_) return;
  slots_known_ = true;
  for (int k = 0; k < waited_count_; ++k) {
    const std::uint64_t handle = thread_->waited_handles[k];
    int slot = -1;
    if (handle != 0) {
      slot = thread_->requests.find(handle);
      if (slot >= 0) thread_->requests.hide(slot);  // so that a repeated handle finds the next slot
    }
    thread_->waited_slots[k] = slot;
  }
  for (int k = 0; k < waited_count_; ++k) {
    if (thread_->waited_slots[k] >= 0) thread_->requests.show(thread_->waited_slots[k]);
  }
}

void Call::start_requests() noexcept {
  look_up_slots();
  key_.bytes = 0;
  for (int k = 0; k < waited_count_; ++k) {
    const int slot = thread_->waited_slots[k];
    if (slot < 0 || !thread_->request_states[slot].is_persistent) continue;
    const Thread::Persistent& started = thread_->request_states[slot].persistent;
    if (static_cast<Op>(started.op) == Op::Recv_init) continue;
    key_.bytes += started.bytes;
    if (started.world < 0) continue;
    thread_->recording->count_size(0, started.bytes);
    thread_->recording->count_message_to(started.world, started.bytes);
  }
  add_waited_slots();
  add_inits();
}

void Call::free_slot(int slot) noexcept { thread_->requests.release(slot); }

void Call::add_matched_message(MPI_Message message) noexcept {
  if (message == MPI_MESSAGE_NULL) return;
  thread_->matched_messages[thread_->next_message++ % 16] = {word_of(message), key_.comm, key_.peer, key_.tag,
                                                             key_.wildcards};
}

void Call::take_matched_message(MPI_Message message) noexcept {
  for (Thread::Message& found : thread_->matched_messages) {
    if (found.handle != word_of(message) || message == MPI_MESSAGE_NULL) continue;
    key_.comm = found.comm;
    key_.peer = found.source;
    key_.tag = found.tag;
    found.handle = 0;
    return;
  }
}

void Call::finish_without_result() noexcept {
  finished_ = true;
  count(true);
  const std::int64_t total_ns = gap_clock_ns() - gap_end_ns_;
  const std::int64_t test_ns = std::min(end_ns_ - begin_ns_, total_ns);
  thread_->polling.add(key_.op, address_, test_ns, total_ns - test_ns);
  thread_->recording->busy = 0;
}

void Call::count(bool has_no_result) noexcept {
  const Operation& op = operation(key_.op);
  Recording& recording = *thread_->recording;
  const bool moved = !has_no_result && op.kind != Class::wait && op.kind != Class::other;
  const std::int64_t bytes = moved && key_.bytes > 0 ? key_.bytes : 0;
  recording.count(key_.op, op.kind, begin_ns_, end_ns_ - begin_ns_, bytes, has_no_result);
  if (has_no_result) return;
  if (op.sends) {
    const int world = Communicators::world_rank(comm_, key_.peer);
    if (world >= 0) {
      recording.count_size(0, bytes);
      recording.count_message_to(world, bytes);
    }
  } else if (op.kind == Class::coll) {
    recording.count_size(1, bytes);
  } else if (op.kind == Class::io && key_.bytes >= 0) {
    recording.count_size(2, bytes);
  }
}

bool Call::sender_is_unknown() const noexcept {
  return key_.wildcards != no_wildcard && request_slot_ < Thread::max_requests &&
         !thread_->request_states[request_slot_].is_persistent;
}

void Call::finish() noexcept {
  if (finished_) return;
  finished_ = true;
  Recording& recording = *thread_->recording;
  count(false);
  key_.site = process().site(address_);
  const std::int64_t gap_ns = gap_end_ns_ - thread_->gap_start_ns - thread_->polling.not_computed_ns(key_.op, address_);
  thread_->polling = {};
  const std::int64_t time_ns = end_ns_ - begin_ns_;
  if (lists_incomplete_ && !recording.lost_lists.happened) recording.lost_lists = {recording.total_calls(), 1};
  if (sender_is_unknown()) {
    thread_->request_states[request_slot_].unknown_plus_1 = thread_->record_unknown_sender(key_, gap_ns, time_ns) + 1;
  } else {
    thread_->record(key_, {thread_->list_words, key_.words}, gap_ns, time_ns);
  }
  recording.busy = 0;
  thread_->gap_start_ns = gap_clock_ns();
  process().count_in_window(*thread_, end_ns_);
}

}  // namespace stressbench::trace
