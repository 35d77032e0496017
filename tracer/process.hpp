// State shared by the threads of this process: whether calls are recorded, and the tables of handles.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "communicators.hpp"
#include "handles.hpp"
#include "mpi_library.hpp"
#include "thread.hpp"
#include "window.hpp"

namespace stressbench::trace {

// Predefined datatypes and their sizes.
class Types {
 public:
  struct Found {
    std::int16_t number;  // -1: not predefined
    std::int32_t size;
  };
  void start() noexcept;
  Found find(MPI_Datatype type) const noexcept {
    const std::uint64_t handle = word_of(type);
    for (std::uint64_t at = scatter(handle) % places; table_[at].handle != 0; at = (at + 1) % places) {
      if (table_[at].handle == handle) return table_[at].found;
    }
    int size = 0;
    if (type != MPI_DATATYPE_NULL) PMPI_Type_size(type, &size);
    return {-1, size};
  }
  std::int32_t size_of(MPI_Datatype type) const noexcept { return find(type).size; }

 private:
  static constexpr std::uint64_t places = 256;
  struct Entry {
    std::uint64_t handle;
    Found found;
  };
  Entry table_[places];
};

class Process {
 public:
  // Called after MPI_Init. False if there is no memory.
  bool start() noexcept;
  void set_recording(bool enabled) noexcept {
    if (enabled) communicators_.add_created_while_paused();
    is_recording_.store(enabled, std::memory_order_relaxed);
  }
  // Whether gaps are times of the processor, not elapsed times.
  bool gaps_are_cpu_time() const noexcept { return gaps_are_cpu_time_; }
  bool is_recording() const noexcept { return is_recording_.load(std::memory_order_relaxed); }
  // Only the calls in this window are kept. Must be called before recording begins.
  void set_window(const Window& window) noexcept {
    window_ = window;
    has_window_ = true;
  }
  bool is_in_window() const noexcept { return has_window_ && calls_ >= window_.first && calls_ < window_.end; }
  bool awaits_window() const noexcept { return has_window_ && calls_ < window_.first; }
  bool is_window_over() const noexcept { return has_window_ && calls_ >= window_.end; }
  // Counts a call of the sequence that returned at `end_ns`. Calls of other threads than the first do not count.
  void count_in_window(Thread& thread, std::int64_t end_ns) noexcept {
    if (has_window_ && &thread == first_) advance_window(end_ns);
  }
  // Begins to measure the working set, if that is wanted and not done yet, and ends it if it was begun.
  void begin_working_set() noexcept;
  void end_working_set() noexcept;
  bool started() const noexcept { return first_ != nullptr; }
  // Whether recording may resume.
  bool is_paused() const noexcept { return started() && !is_recording() && !is_window_over(); }
  // State of this thread, created at its first call. Null if there is no memory.
  Thread* thread() noexcept {
    if (this_thread_ == nullptr) this_thread_ = new_thread();
    return this_thread_;
  }
  // As `thread`, but null for a thread that has no state yet.
  Thread* known_thread() const noexcept { return this_thread_; }
  // Must not be called before `start`.
  void count(Object kind, std::int64_t created, std::int64_t released) noexcept {
    if (this_thread_ == nullptr) return count_unrecorded_thread(kind, created, released);
    ObjectCount& counted = this_thread_->objects[static_cast<int>(kind)];
    counted.created += static_cast<std::uint64_t>(created);
    counted.released += static_cast<std::uint64_t>(released);
  }
  // Sums the counts of all threads.
  void sum_objects(ObjectCount (&sums)[object_kinds]) const noexcept;
  Recording& first_recording() noexcept { return *first_->recording; }

  const Communicators::Entry* communicator(MPI_Comm comm) noexcept { return communicators_.find(comm); }
  const Communicators::Entry* new_communicator(MPI_Comm comm) noexcept { return communicators_.add(comm); }
  void forget(MPI_Comm comm) noexcept { communicators_.remove(comm); }
  void note_created_while_paused(MPI_Comm comm) {
    if (started() && !is_recording()) communicators_.note_created_while_paused(comm);
  }
  void note_freed_while_paused(MPI_Comm comm) noexcept {
    if (started() && !is_recording()) communicators_.note_freed_while_paused(comm);
  }
  const Types& types() const noexcept { return types_; }
  std::int16_t reduction(MPI_Op op) const noexcept;
  std::uint32_t site(const void* address) noexcept {
    const std::int32_t known = first_->recording->find_site(reinterpret_cast<std::uint64_t>(address));
    return static_cast<std::uint32_t>(known >= 0 ? known : new_site(address));
  }
  Slots<1024>& files() noexcept { return files_; }
  Slots<1024>& windows() noexcept { return windows_; }

  static constexpr int max_threads = 64;
  int threads() const noexcept { return thread_count_.load(); }
  Thread* thread(int k) noexcept { return threads_[k]; }
  int rank() const noexcept { return rank_; }
  int ranks() const noexcept { return ranks_; }

 private:
  Thread* new_thread() noexcept;
  void advance_window(std::int64_t end_ns) noexcept;
  void count_unrecorded_thread(Object kind, std::int64_t created, std::int64_t released) noexcept;
  std::int32_t new_site(const void* address) noexcept;

  static constinit inline thread_local Thread* this_thread_ = nullptr;

  std::atomic<bool> is_recording_{false};
  bool gaps_are_cpu_time_ = false;
  enum class WorkingSet { unwanted, wanted, begun, ended };
  WorkingSet working_set_ = WorkingSet::unwanted;
  bool has_window_ = false;
  Window window_;
  std::uint64_t calls_ = 0;  // of the first thread, counted if there is a window
  Thread* first_ = nullptr;
  std::atomic<int> thread_count_{0};
  Thread* threads_[max_threads] = {};
  std::mutex mutex_;
  int rank_ = 0;
  int ranks_ = 0;
  int node_ = -1;
  int ranks_on_host_ = 1;
  Communicators communicators_;
  Types types_;
  Slots<1024> files_;
  Slots<1024> windows_;
  // Totals of threads without a recording, which called MPI only while recording was paused or exceed max_threads.
  struct {
    std::atomic<std::uint64_t> created;
    std::atomic<std::uint64_t> released;
  } unrecorded_threads_[object_kinds] = {};
};

// The only object of this class.
extern Process the_process;
inline Process& process() noexcept { return the_process; }

std::int64_t now_ns() noexcept;
std::int64_t cpu_ns() noexcept;  // processor time of this thread
// The clock of gaps: one of these two.
inline std::int64_t gap_clock_ns() noexcept { return process().gaps_are_cpu_time() ? cpu_ns() : now_ns(); }

}  // namespace stressbench::trace
