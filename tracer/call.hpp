// An MPI call in progress: its arguments, begin and end time, and results. Created by the generated wrappers.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>

#include "communicators.hpp"
#include "mpi_library.hpp"
#include "object_counter.hpp"
#include "operations.hpp"
#include "process.hpp"
#include "thread.hpp"

namespace stressbench::trace {

class Call;

// Number of dimensions of a Cartesian communicator; 0 for other communicators.
int dimensions_of(MPI_Comm comm) noexcept;

// Statuses for the MPI call: the program's own, or the tracer's if the program ignores them and the tracer needs them.
class CStatuses {
 public:
  CStatuses(Call& call, MPI_Status* program_statuses, int count) noexcept;
  MPI_Status* argument() const noexcept { return argument_; }
  bool are_known() const noexcept { return are_known_; }
  int source(int k) const noexcept { return argument_[k].MPI_SOURCE; }
  int tag(int k) const noexcept { return argument_[k].MPI_TAG; }

 private:
  MPI_Status* argument_;
  bool are_known_;
};
class FortranStatuses {
 public:
  FortranStatuses(Call& call, MPI_Fint* program_statuses, int count) noexcept;
  MPI_Fint* argument() const noexcept { return argument_; }
  bool are_known() const noexcept { return are_known_; }
  int source(int k) const noexcept { return converted(k).MPI_SOURCE; }
  int tag(int k) const noexcept { return converted(k).MPI_TAG; }

 private:
  static constexpr int integers = sizeof(MPI_Status) / sizeof(MPI_Fint);
  MPI_Status converted(int k) const noexcept {
    MPI_Status status;
    PMPI_Status_f2c(argument_ + k * integers, &status);
    return status;
  }
  MPI_Fint* argument_;
  bool are_known_;
};

class Call : public ObjectCounter {
 public:
  Call(Op op, const void* site) noexcept;
  explicit operator bool() const noexcept { return thread_ != nullptr; }

  void set_comm(MPI_Comm comm) noexcept {
    comm_ = process().communicator(comm);
    key_.comm = comm_ == nullptr ? unset : comm_->number;
    if (is_neighbour()) degrees_of(comm);
  }
  void set_root(int rank) noexcept { key_.root = rank; }
  bool is_root() const noexcept { return comm_ != nullptr && key_.root == comm_->rank; }
  void set_tag(int tag) noexcept { key_.tag = tag; }
  void set_destination(int rank) noexcept { key_.peer = rank_or_marker(rank); }
  void set_source(int rank) noexcept {
    key_.peer = rank_or_marker(rank);
    if (rank == MPI_ANY_SOURCE) key_.wildcards |= any_source;
    if (key_.tag == MPI_ANY_TAG) key_.wildcards |= any_tag;
  }
  void set_receive_envelope(int rank, int tag) noexcept {
    key_.source = rank_or_marker(rank);
    key_.receive_tag = tag;
    if (rank == MPI_ANY_SOURCE) key_.wildcards |= any_source;
    if (tag == MPI_ANY_TAG) key_.wildcards |= any_tag;
  }
  void set_in_place(bool yes) noexcept { key_.in_place = yes ? 1 : 0; }
  void set_send(std::int64_t count, MPI_Datatype type) noexcept {
    if (key_.in_place != 0 && !is_in_place_irrelevant() && !is_scatter()) return;  // not significant
    key_.unit = type_of(type);
    key_.bytes = count * key_.unit;
  }
  void set_receive(std::int64_t count, MPI_Datatype type) noexcept {
    if (!is_collective()) {
      key_.receive_bytes = count * process().types().size_of(type);
    } else if (key_.bytes < 0 && !(key_.in_place != 0 && is_scatter())) {
      key_.unit = type_of(type);
      key_.bytes = count * key_.unit;
    }
  }
  template <class Counts, class Types>
  void set_send_blocks(Counts counts, Types types) noexcept {
    if (key_.in_place != 0 && !is_in_place_irrelevant() && !is_scatter()) return;
    key_.bytes = add_blocks(List::counts, out_degree(), counts, types);
  }
  template <class Counts, class Types>
  void set_receive_blocks(Counts counts, Types types) noexcept {
    std::int64_t own = 0;
    const std::int64_t sum = add_blocks(List::receive_counts, in_degree(), counts, types, &own);
    if (key_.bytes < 0) key_.bytes = is_alltoall() ? sum : own;
  }
  void set_reduction(MPI_Op op) noexcept { key_.reduction = process().reduction(op); }
  void set_file(MPI_File file) noexcept { key_.object = process().files().find(word_of(file)); }
  void close_file(MPI_File file) noexcept;
  void open_file(MPI_File file) noexcept { key_.object = process().files().add(word_of(file)); }
  void set_window(MPI_Win win) noexcept { key_.object = process().windows().find(word_of(win)); }
  void free_window(MPI_Win win) noexcept;
  void create_window(MPI_Win win) noexcept { key_.object = process().windows().add(word_of(win)); }
  void create_comm(MPI_Comm comm) noexcept {
    const auto* created = process().new_communicator(comm);
    key_.new_comm = created == nullptr ? -1 : created->number;
  }
  // Records this rank's neighbours in a graph communicator of MPI_Graph_create or MPI_Dist_graph_create.
  void add_neighbours(MPI_Comm created) noexcept;
  void free_comm(MPI_Comm comm) noexcept {
    this->set_comm(comm);
    process().forget(comm);
  }
  void set_unit(std::int64_t bytes) noexcept { key_.unit = static_cast<std::int32_t>(bytes); }
  // Left out once the thread has used too many different values, since each of them makes a distinct call.
  void add_displacement(MPI_Aint units) noexcept;
  void add_assertions(int assertion) noexcept;
  void add_group_members(List list, MPI_Group group) noexcept;
  void set_etype(MPI_Datatype type) noexcept { key_.unit = type_of(type); }
  // Size of the datatype and its extent in the file.
  void add_filetype(MPI_Datatype type) noexcept;
  void add_colour(int colour) noexcept { add_value(List::colour, colour == MPI_UNDEFINED ? -1 : colour); }
  void add_whence(int whence) noexcept {
    add_value(List::whence, whence == MPI_SEEK_SET ? 0 : whence == MPI_SEEK_CUR ? 1 : 2);
  }
  void add_value(List list, std::int64_t value) noexcept {
    add_values(list, 1, [&](int) { return value; });
  }
  template <class Values>
  void add_values(List list, int count, Values values) noexcept {
    if (count < 0 || !has_room(count)) return;
    add_word(static_cast<std::int64_t>(list));
    add_word(count);
    for (int k = 0; k < count; ++k) add_word(static_cast<std::int64_t>(values(k)));
  }

  void add_request(MPI_Request created, bool persistent) noexcept;
  // While recording is paused, persistent requests are followed all the same: they may be started afterwards.
  bool is_paused() const noexcept { return is_counting() && process().is_paused(); }
  // The other arguments must be set. `comm` is not added to the recording, in which communicators are in the order of
  // their creation: the peer becomes a rank of MPI_COMM_WORLD.
  void keep_request(MPI_Comm comm, MPI_Request created) noexcept;
  void drop_request(MPI_Request freed) noexcept;
  // Stores the handles only. Their slots are looked up when a request completed, since most tests complete none.
  template <class Requests>
  void set_waited_requests(int count, Requests requests) noexcept {
    for (waited_count_ = 0; waited_count_ < count && waited_count_ < Thread::max_requests; ++waited_count_) {
      const MPI_Request one = requests(waited_count_);
      thread_->waited_handles[waited_count_] = one == MPI_REQUEST_NULL ? 0 : word_of(one);
    }
  }
  // Whether the tracer needs statuses to find the sender of a message, even if the program ignores them.
  bool needs_statuses() noexcept {
    if (key_.wildcards != no_wildcard) return true;
    if (waited_count_ == 0 || thread_->unknown_senders() == 0) return false;
    look_up_slots();
    for (int k = 0; k < waited_count_; ++k) {
      if (thread_->waited_slots[k] >= 0 && thread_->request_states[thread_->waited_slots[k]].unknown_plus_1 > 0)
        return true;
    }
    return false;
  }
  template <class Statuses>
  void complete_all(const Statuses& statuses) noexcept {
    look_up_slots();
    for (int k = 0; k < waited_count_; ++k) complete(thread_->waited_slots[k], k, statuses);
    add_waited_slots();
  }
  template <class Statuses>
  void complete_one(int index, const Statuses& statuses) noexcept {
    if (fortran_) --index;
    look_up_slots();
    add_waited_slots();
    if (index < 0 || index >= waited_count_) return;
    add_value(List::done, shown_slot(index));
    complete(thread_->waited_slots[index], 0, statuses);
  }
  template <class Indices, class Statuses>
  void complete_some(int count, Indices indices, const Statuses& statuses) noexcept {
    const int first = fortran_ ? 1 : 0;
    if (count == 0) return finish_without_result();
    look_up_slots();
    add_waited_slots();
    if (count < 0) return;  // MPI_UNDEFINED: no request was active
    add_values(List::done, count, [&](int k) { return shown_slot(indices(k) - first); });
    for (int k = 0; k < count; ++k) complete(thread_->waited_slots[indices(k) - first], k, statuses);
  }
  void start_requests() noexcept;
  void list_requests() noexcept {
    look_up_slots();
    add_waited_slots();
  }
  void free_requests() noexcept {
    list_requests();
    add_inits();
    for (int k = 0; k < waited_count_; ++k) {
      if (thread_->waited_slots[k] >= 0) free_slot(thread_->waited_slots[k]);
    }
  }
  template <class Statuses>
  void set_sender(const Statuses& statuses) noexcept {
    if (!statuses.are_known() || key_.wildcards == no_wildcard) return;
    (key_.source == unset ? key_.peer : key_.source) = rank_or_marker(statuses.source(0));
    (key_.source == unset ? key_.tag : key_.receive_tag) = statuses.tag(0);
  }
  void add_matched_message(MPI_Message message) noexcept;
  void take_matched_message(MPI_Message message) noexcept;
  // A test or probe without a result is counted, but is not part of the sequence.
  void finish_without_result() noexcept;

  void begin_call() noexcept;
  void end_call() noexcept;
  void finish() noexcept;
  void set_fortran() noexcept { fortran_ = true; }

 private:
  static int rank_or_marker(int rank) noexcept {
    return rank == MPI_PROC_NULL ? -1 : rank == MPI_ANY_SOURCE ? unset : rank;
  }
  bool is_collective() const noexcept { return operation(key_.op).kind == Class::coll; }
  // Whether MPI_IN_PLACE does not change which vector counts: reductions, scans, broadcasts and non-collective calls.
  bool is_in_place_irrelevant() const noexcept { return key_.reduction != -1 || is_bcast() || !is_collective(); }
  bool is_bcast() const noexcept;
  bool is_scatter() const noexcept;
  bool is_alltoall() const noexcept;
  bool is_neighbour() const noexcept;
  void degrees_of(MPI_Comm comm) noexcept;
  int out_degree() const noexcept { return degrees_known_ ? out_degree_ : comm_ == nullptr ? 0 : comm_->size; }
  int in_degree() const noexcept { return degrees_known_ ? in_degree_ : comm_ == nullptr ? 0 : comm_->size; }
  std::int32_t type_of(MPI_Datatype type) noexcept {
    const Types::Found found = process().types().find(type);
    key_.type = found.number;
    return found.size;
  }
  template <class Counts, class Kinds>
  std::int64_t add_blocks(List list, int ranks, Counts counts, Kinds kinds, std::int64_t* own = nullptr) noexcept {
    std::int64_t sum = 0;
    std::int32_t one_size = 0;
    constexpr bool one_type = std::is_convertible_v<Kinds, MPI_Datatype>;
    if constexpr (one_type) key_.unit = one_size = type_of(kinds);
    const auto bytes = [&](int k) {
      std::int32_t size = one_size;
      if constexpr (!one_type) size = process().types().size_of(kinds(k));
      const std::int64_t rank_bytes = static_cast<std::int64_t>(counts(k)) * size;
      sum += rank_bytes;
      if (own != nullptr && comm_ != nullptr && k == comm_->rank) *own = rank_bytes;
      return rank_bytes;
    };
    if (has_room(ranks)) {
      add_values(list, ranks, bytes);
    } else {
      for (int k = 0; k < ranks; ++k) bytes(k);
    }
    return sum;
  }
  bool has_room(int count) noexcept;
  void add_word(std::int64_t word) noexcept { thread_->list_words[key_.words++] = word; }
  void look_up_slots() noexcept;
  // The slot of a waited request. A replay knows by -2 that the sequence does not create it.
  int shown_slot(int k) const noexcept {
    const int slot = thread_->waited_slots[k];
    const bool is_shown = slot < 0 || thread_->request_states[slot].created != Thread::Request::Created::while_paused;
    return is_shown ? slot : thread_->requests.absent;
  }
  void add_waited_slots() noexcept {
    add_values(List::requests, waited_count_, [&](int k) { return shown_slot(k); });
  }
  Thread::Persistent persistent_request(int world) const noexcept;
  bool is_created_outside(int slot) const noexcept;
  std::int32_t init_of(int slot) noexcept;
  void add_inits() noexcept;
  template <class Statuses>
  void complete(int slot, int status, const Statuses& statuses) noexcept {
    if (slot < 0) return;
    Thread::Request& request = thread_->request_states[slot];
    if (request.unknown_plus_1 > 0) {
      if (statuses.are_known()) {
        thread_->resolve(request.unknown_plus_1 - 1, rank_or_marker(statuses.source(status)), statuses.tag(status));
      }
      request.unknown_plus_1 = 0;
    }
    if (!request.is_persistent) free_slot(slot);
  }
  void free_slot(int slot) noexcept;
  void count(bool has_no_result) noexcept;
  bool sender_is_unknown() const noexcept;

  Key key_;
  Thread* thread_ = nullptr;
  const Communicators::Entry* comm_ = nullptr;
  const void* address_;
  std::int64_t gap_end_ns_ = 0;  // on the clock of gaps
  std::int64_t begin_ns_ = 0;
  std::int64_t end_ns_ = 0;
  int waited_count_ = 0;
  int in_degree_ = 0;
  int out_degree_ = 0;
  bool degrees_known_ = false;
  bool slots_known_ = false;
  bool fortran_ = false;
  int request_slot_ = Thread::max_requests;
  bool finished_ = false;
  bool lists_incomplete_ = false;
};

}  // namespace stressbench::trace
