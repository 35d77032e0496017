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

bool is_ignored(const MPI_Fint* wanted) noexcept {
#if !defined(OPEN_MPI)
  for (const void* object : {static_cast<const void*>(&MPIR_F08_MPI_STATUS_IGNORE_OBJ),
                             static_cast<const void*>(&MPIR_F08_MPI_STATUSES_IGNORE_OBJ)}) {
    if (object != nullptr && wanted == object) return true;
  }
#endif
  return wanted == MPI_F_STATUS_IGNORE || wanted == MPI_F_STATUSES_IGNORE;
}

// The program's statuses, or the tracer's if the program ignores them and the tracer needs them.
template <class Status>
Status* statuses_for(bool are_ignored, bool are_wanted, Status* given, Status* ours, bool& known) noexcept {
  known = !are_ignored || are_wanted;
  return are_ignored && are_wanted ? ours : given;
}

}  // namespace

int dimensions_of(MPI_Comm comm) noexcept {
  int topology = MPI_UNDEFINED;
  int dimensions = 0;
  PMPI_Topo_test(comm, &topology);
  if (topology == MPI_CART) PMPI_Cartdim_get(comm, &dimensions);
  return dimensions;
}

CStatuses::CStatuses(Call& call, MPI_Status* wanted, int count) noexcept {
  const bool ignored = wanted == MPI_STATUS_IGNORE || wanted == MPI_STATUSES_IGNORE;
  given_ = statuses_for(ignored, call.wants_statuses() && count <= Thread::most_statuses, wanted,
                        process().thread()->statuses, known_);
}

FortranStatuses::FortranStatuses(Call& call, MPI_Fint* wanted, int count) noexcept {
  given_ = statuses_for(is_ignored(wanted), call.wants_statuses() && count <= Thread::most_statuses, wanted,
                        reinterpret_cast<MPI_Fint*>(process().thread()->statuses), known_);
}

Call::Call(Op op, const void* site) noexcept : address_(site) {
  if (!process().looks() || !outermost()) return;
  thread_ = process().thread();
  key_.op = static_cast<std::uint16_t>(op);
}

void Call::enters() noexcept { began_ns_ = now_ns(); }
void Call::leaves() noexcept {
  ended_ns_ = now_ns();
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
    in_ = out_ = 2 * dimensions_of(comm);
  } else if (topology == MPI_DIST_GRAPH) {
    int weighted = 0;
    PMPI_Dist_graph_neighbors_count(comm, &in_, &out_, &weighted);
  } else if (topology == MPI_GRAPH && comm_ != nullptr) {
    PMPI_Graph_neighbors_count(comm, comm_->rank, &in_);
    out_ = in_;
  }
}

void Call::tells_neighbours(MPI_Comm made) noexcept {
  if (made == MPI_COMM_NULL || key_.made < 0) return;
  comm_ = process().communicator(made);
  degrees_of(made);
  std::vector<int> sources(static_cast<std::size_t>(in_));
  std::vector<int> destinations(static_cast<std::size_t>(out_));
  int topology = MPI_UNDEFINED;
  PMPI_Topo_test(made, &topology);
  if (topology == MPI_DIST_GRAPH) {
    // Not MPI_UNWEIGHTED, which is a variable of the MPI library: programs without MPI also load the tracer.
    std::vector<int> weights(static_cast<std::size_t>(std::max(in_, out_)));
    PMPI_Dist_graph_neighbors(made, in_, sources.data(), weights.data(), out_, destinations.data(), weights.data());
  } else {
    PMPI_Graph_neighbors(made, comm_->rank, in_, sources.data());
    destinations = sources;
  }
  say_all(List::sources, in_, [&](int k) { return sources[static_cast<std::size_t>(k)]; });
  say_all(List::destinations, out_, [&](int k) { return destinations[static_cast<std::size_t>(k)]; });
}

void Call::displacement(MPI_Aint units) noexcept {
  constexpr int most = 64;
  thread_local MPI_Aint known[most];
  thread_local int count = 0;
  MPI_Aint* const end = known + count;
  if (std::find(known, end, units) == end) {
    if (count == most) return;
    known[count++] = units;
  }
  say(List::displacement, units);
}

void Call::assertion(int given) noexcept {
  constexpr int assertions[] = {MPI_MODE_NOCHECK, MPI_MODE_NOSTORE, MPI_MODE_NOPUT, MPI_MODE_NOPRECEDE,
                                MPI_MODE_NOSUCCEED};
  int said[std::size(assertions)];
  int count = 0;
  for (int k = 0; k < static_cast<int>(std::size(assertions)); ++k) {
    if ((given & assertions[k]) != 0) said[count++] = k;
  }
  if (count > 0) say_all(List::assertion, count, [&](int k) { return said[k]; });
}

void Call::says_members(List list, MPI_Group group) noexcept {
  MPI_Group everybody = MPI_GROUP_NULL;
  int size = 0;
  PMPI_Comm_group(MPI_COMM_WORLD, &everybody);
  PMPI_Group_size(group, &size);
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::vector<int> world(ranks.size());
  for (int k = 0; k < size; ++k) ranks[static_cast<std::size_t>(k)] = k;
  PMPI_Group_translate_ranks(group, size, ranks.data(), everybody, world.data());
  PMPI_Group_free(&everybody);
  say_all(list, size, [&](int k) { return world[static_cast<std::size_t>(k)]; });
}

void Call::filetype(MPI_Datatype type) noexcept {
  MPI_Aint lowest = 0;
  MPI_Aint extent = 0;
  PMPI_Type_get_extent(type, &lowest, &extent);
  const std::int64_t said[] = {process().types().size_of(type), extent};
  say_all(List::filetype, 2, [&](int k) { return said[k]; });
}

bool Call::has_room(int count) noexcept {
  const bool fits = static_cast<std::int64_t>(key_.words) + 2 + count <= Thread::most_listed;
  too_long_ = too_long_ || !fits;
  return fits;
}

void Call::closes(MPI_File file) noexcept {
  key_.object = process().files().find(word_of(file));
  if (key_.object >= 0) process().files().release(key_.object);
}
void Call::closes_window(MPI_Win win) noexcept {
  key_.object = process().windows().find(word_of(win));
  if (key_.object >= 0) process().windows().release(key_.object);
}

void Call::request(MPI_Request made, bool persistent) noexcept {
  if (made == MPI_REQUEST_NULL) return;
  const int slot = thread_->requests.add(word_of(made));
  key_.request = slot;
  if (slot < 0) return;
  request_slot_ = slot;
  const bool sends =
      persistent && key_.any == any_nothing && key_.source == unset && static_cast<Op>(key_.op) != Op::Recv_init;
  thread_->request[slot] = {0, static_cast<std::uint8_t>(persistent ? 1 : 0),
                            Communicators::world_rank(comm_, key_.peer), sends ? key_.bytes : -1};
}

void Call::look_up_waited() noexcept {
  if (looked_up_) return;
  looked_up_ = true;
  for (int k = 0; k < waited_; ++k) {
    const std::uint64_t handle = thread_->handles[k];
    int slot = -1;
    if (handle != 0) {
      slot = thread_->requests.find(handle);
      if (slot >= 0) thread_->requests.hide(slot);  // so that a repeated handle finds the next slot
    }
    thread_->slots[k] = slot;
  }
  for (int k = 0; k < waited_; ++k) {
    if (thread_->slots[k] >= 0) thread_->requests.show(thread_->slots[k]);
  }
}

void Call::starts() noexcept {
  look_up_waited();
  key_.bytes = 0;
  for (int k = 0; k < waited_; ++k) {
    const int slot = thread_->slots[k];
    if (slot < 0 || thread_->request[slot].bytes < 0) continue;
    const Thread::Request& started = thread_->request[slot];
    key_.bytes += started.bytes;
    if (started.world < 0) continue;
    thread_->recording->count_size(0, started.bytes);
    thread_->recording->sent_to(started.world, started.bytes);
  }
  list_waited();
}

void Call::free_slot(int slot) noexcept { thread_->requests.release(slot); }

void Call::found_message(MPI_Message message) noexcept {
  if (message == MPI_MESSAGE_NULL) return;
  thread_->messages[thread_->next_message++ % 16] = {word_of(message), key_.comm, key_.peer, key_.tag, key_.any};
}

void Call::takes_message(MPI_Message message) noexcept {
  for (Thread::Message& found : thread_->messages) {
    if (found.handle != word_of(message) || message == MPI_MESSAGE_NULL) continue;
    key_.comm = found.comm;
    key_.peer = found.source;
    key_.tag = found.tag;
    found.handle = 0;
    return;
  }
}

void Call::found_nothing() noexcept {
  finished_ = true;
  count(true);
  Thread::Polling& polling = thread_->polling;
  if (polling.op != key_.op || polling.site != address_) {  // earlier tests of another call count as computation
    polling = {0, polling.ours_ns, key_.op, address_};
  }
  polling.time_ns += ended_ns_ - began_ns_;
  polling.ours_ns += now_ns() - ended_ns_;
  thread_->recording->busy = 0;
}

void Call::count(bool is_empty) noexcept {
  const Operation& op = operation(key_.op);
  Recording& recording = *thread_->recording;
  const bool moved = !is_empty && op.kind != Class::wait && op.kind != Class::other;
  const std::int64_t bytes = moved && key_.bytes > 0 ? key_.bytes : 0;
  recording.count(key_.op, op.kind, began_ns_, ended_ns_ - began_ns_, bytes, is_empty);
  if (is_empty) return;
  if (op.sends) {
    const int world = Communicators::world_rank(comm_, key_.peer);
    if (world >= 0) {
      recording.count_size(0, bytes);
      recording.sent_to(world, bytes);
    }
  } else if (op.kind == Class::coll) {
    recording.count_size(1, bytes);
  } else if (op.kind == Class::io && key_.bytes >= 0) {
    recording.count_size(2, bytes);
  }
}

bool Call::sender_is_unknown() const noexcept {
  return key_.any != any_nothing && request_slot_ < Thread::most_requests &&
         thread_->request[request_slot_].persistent == 0;
}

void Call::finish() noexcept {
  if (finished_) return;
  finished_ = true;
  Recording& recording = *thread_->recording;
  count(false);
  key_.site = process().site(address_);
  // Unsuccessful tests before a successful one are waiting, not computation, since a replay tests as often as it needs.
  // If the program makes another call after unsuccessful tests, they count as computation.
  const Thread::Polling polling = thread_->polling;
  const bool waited = polling.op == key_.op && polling.site == address_;
  const std::int64_t gap_ns = began_ns_ - thread_->left_ns - polling.ours_ns - (waited ? polling.time_ns : 0);
  thread_->polling = {};
  const std::int64_t time_ns = ended_ns_ - began_ns_;
  if (too_long_ && !recording.lost_lists.happened) recording.lost_lists = {recording.calls_seen(), 1};
  if (sender_is_unknown()) {
    thread_->request[request_slot_].unknown_plus_1 = thread_->note_unknown(key_, gap_ns, time_ns) + 1;
  } else {
    thread_->note(key_, {thread_->listed, key_.words}, gap_ns, time_ns);
  }
  recording.busy = 0;
  thread_->left_ns = now_ns();
}

}  // namespace stressbench::trace
