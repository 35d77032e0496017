// An MPI call in progress: its arguments, begin and end time, and results. Created by the generated wrappers.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>

#include "communicators.hpp"
#include "counted.hpp"
#include "mpi_library.hpp"
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
  CStatuses(Call& call, MPI_Status* wanted, int count) noexcept;
  MPI_Status* given() const noexcept { return given_; }
  bool known() const noexcept { return known_; }
  int source(int k) const noexcept { return given_[k].MPI_SOURCE; }
  int tag(int k) const noexcept { return given_[k].MPI_TAG; }

 private:
  MPI_Status* given_;
  bool known_;
};
class FortranStatuses {
 public:
  FortranStatuses(Call& call, MPI_Fint* wanted, int count) noexcept;
  MPI_Fint* given() const noexcept { return given_; }
  bool known() const noexcept { return known_; }
  int source(int k) const noexcept { return converted(k).MPI_SOURCE; }
  int tag(int k) const noexcept { return converted(k).MPI_TAG; }

 private:
  static constexpr int integers = sizeof(MPI_Status) / sizeof(MPI_Fint);
  MPI_Status converted(int k) const noexcept {
    MPI_Status status;
    PMPI_Status_f2c(given_ + k * integers, &status);
    return status;
  }
  MPI_Fint* given_;
  bool known_;
};

class Call : public Counted {
 public:
  Call(Op op, const void* site) noexcept;
  explicit operator bool() const noexcept { return thread_ != nullptr; }

  void comm(MPI_Comm comm) noexcept {
    comm_ = process().communicator(comm);
    key_.comm = comm_ == nullptr ? unset : comm_->number;
    if (is_neighbour()) degrees_of(comm);
  }
  void root(int rank) noexcept { key_.root = rank; }
  bool is_root() const noexcept { return comm_ != nullptr && key_.root == comm_->rank; }
  void tag(int tag) noexcept { key_.tag = tag; }
  void to(int rank) noexcept { key_.peer = plain(rank); }
  void from(int rank) noexcept {
    key_.peer = plain(rank);
    if (rank == MPI_ANY_SOURCE) key_.any |= any_source;
    if (key_.tag == MPI_ANY_TAG) key_.any |= any_tag;
  }
  void receive_half(int rank, int tag) noexcept {
    key_.source = plain(rank);
    key_.receive_tag = tag;
    if (rank == MPI_ANY_SOURCE) key_.any |= any_source;
    if (tag == MPI_ANY_TAG) key_.any |= any_tag;
  }
  void in_place(bool yes) noexcept { key_.in_place = yes ? 1 : 0; }
  void gives(std::int64_t count, MPI_Datatype type) noexcept {
    if (key_.in_place != 0 && !is_vector_of_all() && !is_scatter()) return;  // not significant
    key_.unit = type_of(type);
    key_.bytes = count * key_.unit;
  }
  void takes(std::int64_t count, MPI_Datatype type) noexcept {
    if (!is_collective()) {
      key_.receive_bytes = count * process().types().size_of(type);
    } else if (key_.bytes < 0 && !(key_.in_place != 0 && is_scatter())) {
      key_.unit = type_of(type);
      key_.bytes = count * key_.unit;
    }
  }
  template <class Counts, class Types>
  void gives_each(Counts counts, Types types) noexcept {
    if (key_.in_place != 0 && !is_vector_of_all() && !is_scatter()) return;
    key_.bytes = each(List::counts, out_degree(), counts, types);
  }
  template <class Counts, class Types>
  void takes_each(Counts counts, Types types) noexcept {
    std::int64_t own = 0;
    const std::int64_t sum = each(List::receive_counts, in_degree(), counts, types, &own);
    if (key_.bytes < 0) key_.bytes = is_alltoall() ? sum : own;
  }
  void reduction(MPI_Op op) noexcept { key_.reduction = process().reduction(op); }
  void file(MPI_File file) noexcept { key_.object = process().files().find(word_of(file)); }
  void closes(MPI_File file) noexcept;
  void opens(MPI_File file) noexcept { key_.object = process().files().add(word_of(file)); }
  void window(MPI_Win win) noexcept { key_.object = process().windows().find(word_of(win)); }
  void closes_window(MPI_Win win) noexcept;
  void makes_window(MPI_Win win) noexcept { key_.object = process().windows().add(word_of(win)); }
  void makes(MPI_Comm comm) noexcept {
    const auto* made = process().new_communicator(comm);
    key_.made = made == nullptr ? -1 : made->number;
  }
  // Records this rank's neighbours in a graph communicator of MPI_Graph_create or MPI_Dist_graph_create.
  void tells_neighbours(MPI_Comm made) noexcept;
  void frees(MPI_Comm comm) noexcept {
    this->comm(comm);
    process().forget(comm);
  }
  void unit(std::int64_t bytes) noexcept { key_.unit = static_cast<std::int32_t>(bytes); }
  // Left out once the thread has used too many different values, since each of them makes a distinct call.
  void displacement(MPI_Aint units) noexcept;
  void assertion(int given) noexcept;
  void says_members(List list, MPI_Group group) noexcept;
  void etype(MPI_Datatype type) noexcept { key_.unit = type_of(type); }
  // Size of the datatype and its extent in the file.
  void filetype(MPI_Datatype type) noexcept;
  void colour(int colour) noexcept { say(List::colour, colour == MPI_UNDEFINED ? -1 : colour); }
  void whence(int whence) noexcept { say(List::whence, whence == MPI_SEEK_SET ? 0 : whence == MPI_SEEK_CUR ? 1 : 2); }
  void say(List list, std::int64_t value) noexcept {
    say_all(list, 1, [&](int) { return value; });
  }
  template <class Values>
  void say_all(List list, int count, Values values) noexcept {
    if (count < 0 || !has_room(count)) return;
    add_word(static_cast<std::int64_t>(list));
    add_word(count);
    for (int k = 0; k < count; ++k) add_word(static_cast<std::int64_t>(values(k)));
  }

  void request(MPI_Request made, bool persistent) noexcept;
  // Stores the handles only. Their slots are looked up when a request completed, since most tests complete none.
  template <class Requests>
  void waits_for(int count, Requests requests) noexcept {
    for (waited_ = 0; waited_ < count && waited_ < Thread::most_requests; ++waited_) {
      const MPI_Request one = requests(waited_);
      thread_->handles[waited_] = one == MPI_REQUEST_NULL ? 0 : word_of(one);
    }
  }
  // Whether the tracer needs statuses to find the sender of a message, even if the program ignores them.
  bool wants_statuses() noexcept {
    if (key_.any != any_nothing) return true;
    if (waited_ == 0 || thread_->unknown_senders() == 0) return false;
    look_up_waited();
    for (int k = 0; k < waited_; ++k) {
      if (thread_->slots[k] >= 0 && thread_->request[thread_->slots[k]].unknown_plus_1 > 0) return true;
    }
    return false;
  }
  template <class Statuses>
  void all_done(const Statuses& statuses) noexcept {
    look_up_waited();
    for (int k = 0; k < waited_; ++k) done(thread_->slots[k], k, statuses);
    list_waited();
  }
  template <class Statuses>
  void one_done(int index, const Statuses& statuses) noexcept {
    if (fortran_) --index;
    look_up_waited();
    list_waited();
    if (index < 0 || index >= waited_) return;
    say(List::done, thread_->slots[index]);
    done(thread_->slots[index], 0, statuses);
  }
  template <class Indices, class Statuses>
  void some_done(int count, Indices indices, const Statuses& statuses) noexcept {
    const int first = fortran_ ? 1 : 0;
    if (count == 0) return found_nothing();
    look_up_waited();
    list_waited();
    if (count < 0) return;  // MPI_UNDEFINED: no request was active
    say_all(List::done, count, [&](int k) { return thread_->slots[indices(k) - first]; });
    for (int k = 0; k < count; ++k) done(thread_->slots[indices(k) - first], k, statuses);
  }
  void starts() noexcept;
  void names_requests() noexcept {
    look_up_waited();
    list_waited();
  }
  void all_freed() noexcept {
    names_requests();
    for (int k = 0; k < waited_; ++k) {
      if (thread_->slots[k] >= 0) free_slot(thread_->slots[k]);
    }
  }
  template <class Statuses>
  void came_from(const Statuses& statuses) noexcept {
    if (!statuses.known() || key_.any == any_nothing) return;
    (key_.source == unset ? key_.peer : key_.source) = plain(statuses.source(0));
    (key_.source == unset ? key_.tag : key_.receive_tag) = statuses.tag(0);
  }
  void found_message(MPI_Message message) noexcept;
  void takes_message(MPI_Message message) noexcept;
  // A test or probe without a result is counted, but is not part of the sequence.
  void found_nothing() noexcept;

  void enters() noexcept;
  void leaves() noexcept;
  void finish() noexcept;
  void speaks_fortran() noexcept { fortran_ = true; }

 private:
  static int plain(int rank) noexcept { return rank == MPI_PROC_NULL ? -1 : rank == MPI_ANY_SOURCE ? unset : rank; }
  bool is_collective() const noexcept { return operation(key_.op).kind == Class::coll; }
  // Whether MPI_IN_PLACE does not change which vector counts: reductions, scans, broadcasts and non-collective calls.
  bool is_vector_of_all() const noexcept { return key_.reduction != -1 || is_bcast() || !is_collective(); }
  bool is_bcast() const noexcept;
  bool is_scatter() const noexcept;
  bool is_alltoall() const noexcept;
  bool is_neighbour() const noexcept;
  void degrees_of(MPI_Comm comm) noexcept;
  int out_degree() const noexcept { return degrees_known_ ? out_ : comm_ == nullptr ? 0 : comm_->size; }
  int in_degree() const noexcept { return degrees_known_ ? in_ : comm_ == nullptr ? 0 : comm_->size; }
  std::int32_t type_of(MPI_Datatype type) noexcept {
    const Types::Found found = process().types().find(type);
    key_.type = found.number;
    return found.size;
  }
  template <class Counts, class Kinds>
  std::int64_t each(List list, int ranks, Counts counts, Kinds kinds, std::int64_t* own = nullptr) noexcept {
    std::int64_t sum = 0;
    std::int32_t one_size = 0;
    constexpr bool one_type = std::is_convertible_v<Kinds, MPI_Datatype>;
    if constexpr (one_type) key_.unit = one_size = type_of(kinds);
    const auto bytes = [&](int k) {
      std::int32_t size = one_size;
      if constexpr (!one_type) size = process().types().size_of(kinds(k));
      const std::int64_t of_rank = static_cast<std::int64_t>(counts(k)) * size;
      sum += of_rank;
      if (own != nullptr && comm_ != nullptr && k == comm_->rank) *own = of_rank;
      return of_rank;
    };
    if (has_room(ranks)) {
      say_all(list, ranks, bytes);
    } else {
      for (int k = 0; k < ranks; ++k) bytes(k);
    }
    return sum;
  }
  bool has_room(int count) noexcept;
  void add_word(std::int64_t word) noexcept { thread_->listed[key_.words++] = word; }
  void look_up_waited() noexcept;
  void list_waited() noexcept {
    say_all(List::requests, waited_, [&](int k) { return thread_->slots[k]; });
  }
  template <class Statuses>
  void done(int slot, int status, const Statuses& statuses) noexcept {
    if (slot < 0) return;
    Thread::Request& request = thread_->request[slot];
    if (request.unknown_plus_1 > 0) {
      if (statuses.known()) {
        thread_->resolve(request.unknown_plus_1 - 1, plain(statuses.source(status)), statuses.tag(status));
      }
      request.unknown_plus_1 = 0;
    }
    if (request.persistent == 0) free_slot(slot);
  }
  void free_slot(int slot) noexcept;
  void count(bool is_empty) noexcept;
  bool sender_is_unknown() const noexcept;

  Key key_;
  Thread* thread_ = nullptr;
  const Communicators::Known* comm_ = nullptr;
  const void* address_;
  std::int64_t began_ns_ = 0;
  std::int64_t ended_ns_ = 0;
  int waited_ = 0;
  int in_ = 0;
  int out_ = 0;
  bool degrees_known_ = false;
  bool looked_up_ = false;
  bool fortran_ = false;
  int request_slot_ = Thread::most_requests;
  bool finished_ = false;
  bool too_long_ = false;
};

}  // namespace stressbench::trace
