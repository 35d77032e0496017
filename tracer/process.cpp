#include "process.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cstring>
#include <ctime>

#include "operations.hpp"
#include "pool.hpp"
#include "settings.hpp"
#include "working_set.hpp"

namespace stressbench::trace {

static_assert(sizeof(Recording) + sizeof(Thread) < std::size_t{32} << 20U, "memory of a rank");

Process the_process;

namespace {

std::int64_t reading_ns(clockid_t clock) noexcept {
  timespec time{};
  clock_gettime(clock, &time);
  return std::int64_t{time.tv_sec} * 1000000000 + time.tv_nsec;
}

}  // namespace

std::int64_t now_ns() noexcept { return reading_ns(CLOCK_MONOTONIC); }
std::int64_t cpu_ns() noexcept { return reading_ns(CLOCK_THREAD_CPUTIME_ID); }

void Types::start() noexcept {
  const MPI_Datatype types[] = {
#define X(name) MPI_##name,
#include "types.inc"
#undef X
  };
  std::int16_t number = 0;
  for (const MPI_Datatype type : types) {
    int size = 0;
    const std::uint64_t handle = word_of(type);
    if (type != MPI_DATATYPE_NULL) {
      PMPI_Type_size(type, &size);
      std::uint64_t at = scatter(handle) % places;
      while (table_[at].handle != 0 && table_[at].handle != handle) at = (at + 1) % places;
      if (table_[at].handle == 0) table_[at] = {handle, {number, size}};
    }
    ++number;
  }
}

std::int16_t Process::reduction(MPI_Op op) const noexcept {
  const MPI_Op reductions[] = {
#define X(name) MPI_##name,
#include "reductions.inc"
#undef X
  };
  std::int16_t number = 0;
  for (const MPI_Op one : reductions) {
    if (one == op) return number;
    ++number;
  }
  return -2;
}

namespace {

double clock_overhead_s() noexcept {
  const std::int64_t begin = now_ns();
  for (int k = 0; k < 1000; ++k) (void)now_ns();
  return static_cast<double>(now_ns() - begin) * 1e-12;
}

const char* base_name(const char* path) noexcept {
  const char* slash = std::strrchr(path, '/');
  return slash == nullptr ? path : slash + 1;
}

// Copies as much as fits. The remaining bytes of a new recording are zero.
template <std::size_t size>
void copy(char (&to)[size], const char* from) noexcept {
  std::memcpy(to, from, strnlen(from, size - 1));
}

void describe(Header& header) noexcept {
  header.clock_s = clock_overhead_s();
  gethostname(header.host, sizeof(header.host) - 1);
  char path[4096] = {};
  if (readlink("/proc/self/exe", path, sizeof(path) - 1) > 0) copy(header.program, base_name(path));
  char library[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  PMPI_Get_library_version(library, &length);
  library[std::strcspn(library, "\n,")] = 0;
  copy(header.library, library);
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::strftime(header.started, sizeof(header.started), "%Y-%m-%dT%H:%M:%SZ", &parts);
}

}  // namespace

bool Process::start() noexcept {
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  MPI_Comm node_comm = MPI_COMM_NULL;
  PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node_comm);
  PMPI_Comm_size(node_comm, &ranks_on_host_);
  node_ = rank_;
  PMPI_Bcast(&node_, 1, MPI_INT, 0, node_comm);
  PMPI_Comm_free(&node_comm);
  types_.start();
  gaps_are_cpu_time_ = settings::gaps_are_cpu_time();
  first_ = thread();
  if (first_ == nullptr) return false;
  Header& header = first_->recording->header;
  describe(header);
  header.working_set_bytes = -1;
  if (settings::with_working_set()) {
    header.with_working_set = 1;
    working_set_ = WorkingSet::wanted;
  }
  communicators_.start(*first_->recording);
  return true;
}

Thread* Process::new_thread() noexcept {
  const std::lock_guard<std::mutex> lock{mutex_};
  const int number = thread_count_.load();
  if (number == max_threads) return nullptr;
  auto* created = static_cast<Thread*>(pool::anonymous_memory(sizeof(Thread)));
  Recording* recording = created == nullptr ? nullptr : pool::create(rank_, number, ranks_on_host_);
  if (recording == nullptr) return nullptr;
  recording->start();
  Header& header = recording->header;
  header.mode = settings::mode();
  header.with_gap_times = settings::with_gap_times() ? 1 : 0;
  header.gaps_are_cpu_time = gaps_are_cpu_time_ ? 1 : 0;
  header.rank = rank_;
  header.ranks = ranks_;
  header.node = node_;
  header.thread = number;
  header.began_ns = first_ == nullptr ? now_ns() : first_->recording->header.began_ns;
  header.last_ns = header.began_ns;
  created->start(*recording);
  created->gap_start_ns = gap_clock_ns();
  threads_[number] = created;
  thread_count_.store(number + 1);
  return created;
}

void Process::count_unrecorded_thread(Object kind, std::int64_t created, std::int64_t released) noexcept {
  auto& counted = unrecorded_threads_[static_cast<int>(kind)];
  counted.created.fetch_add(static_cast<std::uint64_t>(created), std::memory_order_relaxed);
  counted.released.fetch_add(static_cast<std::uint64_t>(released), std::memory_order_relaxed);
}

void Process::sum_objects(ObjectCount (&sums)[object_kinds]) const noexcept {
  for (int kind = 0; kind < object_kinds; ++kind) {
    sums[kind] = {unrecorded_threads_[kind].created.load(), unrecorded_threads_[kind].released.load()};
    for (int k = 0; k < threads(); ++k) {
      sums[kind].created += threads_[k]->objects[kind].created;
      sums[kind].released += threads_[k]->objects[kind].released;
    }
  }
}

void Process::begin_working_set() noexcept {
  if (working_set_ == WorkingSet::wanted) working_set_ = working_set::begin() ? WorkingSet::begun : WorkingSet::ended;
}

void Process::end_working_set() noexcept {
  if (working_set_ != WorkingSet::begun) return;
  working_set_ = WorkingSet::ended;
  first_->recording->header.working_set_bytes = working_set::end_bytes();
}

void Process::advance_window(std::int64_t end_ns) noexcept {
  Recording& recording = *first_->recording;
  ++calls_;
  if (calls_ == window_.first) {
    first_->begin_window();
    begin_working_set();
    first_->gap_start_ns = gap_clock_ns();
    recording.header.begin(now_ns());
  } else if (calls_ == window_.end) {
    first_->record_all_waiting();
    recording.header.last_ns = end_ns;
    is_recording_.store(false, std::memory_order_relaxed);
    end_working_set();
  }
}

std::int32_t Process::new_site(const void* address) noexcept {
  const std::lock_guard<std::mutex> lock{mutex_};
  Recording& recording = *first_->recording;
  const auto number = reinterpret_cast<std::uint64_t>(address);
  const std::int32_t known = recording.find_site(number);
  if (known >= 0) return known;
  Dl_info found{};
  if (dladdr(address, &found) == 0 || found.dli_fname == nullptr) return recording.add_site({number, number, -1}, "?");
  // The return address is behind the call; one byte less is inside it.
  const std::uint64_t offset = number - 1 - reinterpret_cast<std::uint64_t>(found.dli_fbase);
  return recording.add_site({number, offset, -1}, base_name(found.dli_fname));
}

}  // namespace stressbench::trace
