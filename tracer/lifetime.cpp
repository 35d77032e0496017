// Wrappers from MPI_Init to MPI_Finalize: start and pause of recording, and output of all ranks to one file.
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "files.hpp"
#include "line.hpp"
#include "message.hpp"
#include "mpi_library.hpp"
#include "pool.hpp"
#include "process.hpp"
#include "settings.hpp"
#include "working_set.hpp"

namespace stressbench::trace {
namespace {

void report_failure(const char* what, const char* path) {
  const char* const reason = std::strerror(errno);
  print_message("stressbench: the trace could not be written: " + std::string(what) + " '" + path + "': " + reason);
}

// Collective. Limits recording to the window of this rank, if one is set. False if it cannot be read.
bool set_window() {
  const char* path = settings::window();
  if (path == nullptr) return true;
  const std::optional<Window> window = read_window(path, process().rank(), process().ranks());
  if (!window) return false;
  process().set_window(*window);
  return true;
}

// Whether the trace is written by another program: an earlier one of the same launch, or the parent of this one.
bool has_other_writer() {
  if (settings::traces_once()) return !claim_output(settings::output());
  MPI_Comm parent = MPI_COMM_NULL;
  PMPI_Comm_get_parent(&parent);
  return parent != MPI_COMM_NULL;
}

// Collective. Whether this program writes the trace, which rank 0 decides.
bool may_trace() {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int allowed = 1;
  if (rank == 0 && has_other_writer()) {
    print_message("stressbench: a second MPI program is not traced");
    allowed = 0;
  }
  PMPI_Bcast(&allowed, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return allowed != 0;
}

// Before the program allocates its memory.
__attribute__((constructor)) void prepare_working_set() {
  if (settings::output() != nullptr && settings::with_working_set()) working_set::count_small_pages();
}

void start_tracing() {
  static bool called = false;  // in Fortran, MPI_Init of C may be called within that of Fortran
  if (settings::output() == nullptr || called) return;
  called = true;
  if (!may_trace()) return;
  if (!process().start()) {
    print_message("stressbench: no memory for the trace: this rank is not traced");
    return;
  }
  process().first_recording().header.began_ns = now_ns();
  process().thread()->gap_start_ns = gap_clock_ns();
  if (!set_window()) return;
  if (settings::begins_paused() && process().is_in_window()) {
    Header& header = process().first_recording().header;
    header.pause(header.began_ns);
  }
  process().set_recording(!settings::begins_paused());
  if (process().is_recording() && !process().awaits_window()) process().begin_working_set();
}

std::string make_rank_line() {
  std::vector<const Recording*> recordings;
  for (int k = 0; k < process().threads(); ++k) {
    Thread& thread = *process().thread(k);
    thread.record_all_waiting();
    thread.recording->header.end_state = EndState::finalize;
    recordings.push_back(thread.recording);
  }
  process().sum_objects(process().first_recording().objects);
  return rank_line(recordings, settings::with_names());
}

// Nanoseconds that this thread computed since its last MPI call.
std::int64_t time_since_last_call_ns(const Thread& thread) {
  return std::max<std::int64_t>(gap_clock_ns() - thread.gap_start_ns - thread.polling.not_computed_ns(), 0);
}

// Resumes or pauses recording. Computation before a pause counts in the gap before the first call after the pause, or
// in the time after the last call if no call follows.
void set_recording(Thread& thread, bool enabled) {
  if (enabled == process().is_recording() || process().is_window_over()) return;
  std::int64_t& tail_ns = thread.recording->header.tail_ns;
  Header& header = process().first_recording().header;
  const std::int64_t time_ns = now_ns();
  if (enabled) {
    if (!process().awaits_window()) process().begin_working_set();
    thread.gap_start_ns = gap_clock_ns() - tail_ns;
    tail_ns = 0;
    header.resume(time_ns);
  } else {
    tail_ns = time_since_last_call_ns(thread);
    if (process().is_in_window()) header.pause(time_ns);
  }
  thread.polling = {};
  process().set_recording(enabled);
}

// Writes at this offset of a file that is open, and closes it. `path` is for messages.
bool write_and_close(int file, const char* path, const std::string& text, std::int64_t offset) {
  if (file < 0) return report_failure("cannot open", path), false;
  const bool complete = write_at(file, text, offset);
  if (!complete) report_failure("cannot write", path);
  return (close(file) == 0) && complete;
}

// The file that rank 0 has created.
int open_to_add(const char* path) { return open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC); }

// Writes the paths of the modules, for tools that turn call sites into source lines. Not part of the trace, since paths
// may reveal personal information.
void write_modules(const char* path) {
  const Recording& recording = process().first_recording();
  std::string text = "{";
  for (int k = 0; k < recording.site_count; ++k) {
    Dl_info found{};
    const Site& site = recording.sites[k];
    if (site.module < 0 || dladdr(reinterpret_cast<const void*>(site.address), &found) == 0) continue;
    const std::string key = std::string("\"") + recording.modules[site.module] + "\":";
    if (text.find(key) != std::string::npos) continue;
    char program[4096] = {};
    std::string file = found.dli_fname;
    if (file.find('/') == std::string::npos || access(found.dli_fname, R_OK) != 0) {
      if (readlink("/proc/self/exe", program, sizeof(program) - 1) > 0) file = program;
    }
    text += (text.size() > 1 ? "," : "") + key + "\"" + file + "\"";
  }
  // The user did not choose this name, so an existing file may belong to anyone or be a link.
  const std::string name = std::string(path) + ".modules";
  unlink(name.c_str());
  const int file = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  write_and_close(file, name.c_str(), text + "}\n", 0);
}

// Collective. Each rank writes its line at its own offset in the file, so nothing is gathered.
void write_file() {
  const char* path = settings::output();
  const int rank = process().rank();
  const std::string line = make_rank_line();
  const Header& header = process().first_recording().header;
  int is_host = header.node == rank ? 1 : 0;
  int hosts = 0;
  PMPI_Reduce(&is_host, &hosts, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  std::string head;
  if (rank == 0) head = header_line(header, {process().ranks(), hosts});
  std::int64_t length = static_cast<std::int64_t>(line.size() + head.size());
  std::int64_t offset = 0;
  PMPI_Exscan(&length, &offset, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) offset = 0;
  int ready = 1;
  if (rank == 0) ready = write_and_close(create_or_empty_file(path), path, head + line, 0) ? 1 : 0;
  PMPI_Bcast(&ready, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (ready == 0) return;
  int complete = rank == 0 || write_and_close(open_to_add(path), path, line, offset) ? 1 : 0;
  std::int64_t end = offset + length;
  std::int64_t file_size = 0;
  int all_complete = 0;
  PMPI_Reduce(&end, &file_size, 1, MPI_INT64_T, MPI_MAX, 0, MPI_COMM_WORLD);
  PMPI_Allreduce(&complete, &all_complete, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (rank == 0 && all_complete != 0) {
    write_modules(path);
    write_and_close(open_to_add(path), path, end_line(process().ranks(), true), file_size);
  }
  if (all_complete == 0) return;
  for (int k = 0; k < process().threads(); ++k) pool::remove(rank, k);
}

void finish_tracing() {
  if (!process().started()) return;
  for (int k = 0; process().is_recording() && k < process().threads(); ++k) {
    process().thread(k)->recording->header.tail_ns = time_since_last_call_ns(*process().thread(k));
  }
  process().set_recording(false);
  process().end_working_set();
  if (!process().is_window_over()) {
    Header& header = process().first_recording().header;
    header.last_ns = now_ns();
    header.resume(header.last_ns);
  }
  write_file();
}

}  // namespace
}  // namespace stressbench::trace

using namespace stressbench::trace;

#pragma GCC visibility push(default)
extern "C" {

int MPI_Init(int* argc, char*** argv) {
  const bool is_visible = mpi_library::make_visible();
  const int code = PMPI_Init(argc, argv);
  if (code == MPI_SUCCESS && is_visible) start_tracing();
  return code;
}
int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const bool is_visible = mpi_library::make_visible();
  const int code = PMPI_Init_thread(argc, argv, required, provided);
  if (code == MPI_SUCCESS && is_visible) start_tracing();
  return code;
}
int MPI_Finalize(void) {
  finish_tracing();
  return PMPI_Finalize();
}
int MPI_Abort(MPI_Comm comm, int errorcode) {
  if (process().started()) process().first_recording().header.end_state = EndState::abort;
  return PMPI_Abort(comm, errorcode);
}
int MPI_Pcontrol(const int level, ...) {
  if (process().started()) {
    if (Thread* const thread = process().thread(); thread != nullptr) set_recording(*thread, level != 0);
  }
  return MPI_SUCCESS;
}

#define STRESSBENCH_FORTRAN(name, behind, suffix)                                             \
  void behind##_init##suffix(MPI_Fint*) __attribute__((weak));                                \
  void name##_init##suffix(MPI_Fint* ierror) {                                                \
    behind##_init##suffix(ierror);                                                            \
    if (mpi_library::make_visible()) start_tracing();                                         \
  }                                                                                           \
  void behind##_init_thread##suffix(MPI_Fint*, MPI_Fint*, MPI_Fint*) __attribute__((weak));   \
  void name##_init_thread##suffix(MPI_Fint* required, MPI_Fint* provided, MPI_Fint* ierror) { \
    behind##_init_thread##suffix(required, provided, ierror);                                 \
    if (mpi_library::make_visible()) start_tracing();                                         \
  }                                                                                           \
  void behind##_finalize##suffix(MPI_Fint*) __attribute__((weak));                            \
  void name##_finalize##suffix(MPI_Fint* ierror) {                                            \
    finish_tracing();                                                                         \
    behind##_finalize##suffix(ierror);                                                        \
  }                                                                                           \
  void behind##_abort##suffix(MPI_Fint*, MPI_Fint*, MPI_Fint*) __attribute__((weak));         \
  void name##_abort##suffix(MPI_Fint* comm, MPI_Fint* errorcode, MPI_Fint* ierror) {          \
    if (process().started()) process().first_recording().header.end_state = EndState::abort;  \
    behind##_abort##suffix(comm, errorcode, ierror);                                          \
  }
STRESSBENCH_FORTRAN(mpi, pmpi, _)
#if defined(OPEN_MPI)
STRESSBENCH_FORTRAN(mpi, pmpi, _f08_)
#else
STRESSBENCH_FORTRAN(mpi, pmpir, _f08_)
#endif

}  // extern "C"
#pragma GCC visibility pop
