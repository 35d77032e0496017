#include "output/run_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/input_file.hpp"
#include "core/input_limits.hpp"
#include "core/signals.hpp"
#include "io/descriptor.hpp"
#include "output/json.hpp"
#include "output/result_file.hpp"

namespace stressbench::output {
namespace {

// Size in bytes from which pending records are written. A single write at the end of a round would disturb least, but a
// round may hold many megabytes.
constexpr std::size_t write_threshold = 1U << 20;

int flags_of(Existing existing) noexcept {
  switch (existing) {
    case Existing::refuse:
      return O_CREAT | O_EXCL;
    case Existing::replace:
      return O_CREAT | O_NONBLOCK;  // opening a FIFO must not wait for a reader
    case Existing::append:
      return O_NONBLOCK;  // the path may have become a FIFO
  }
  return 0;
}

const char* option_of(Existing existing) noexcept { return existing == Existing::append ? "--continue" : "--output"; }

std::string line_of(const Json& record) { return record.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n'; }

// Throws UserMistake if --overwrite would replace anything other than a run file, such as after a mistyped name, or
// create the missing file of a link.
void require_run_file(const std::string& path) {
  struct stat found {};
  const bool exists = stat(path.c_str(), &found) == 0;
  if (!exists && lstat(path.c_str(), &found) == 0)
    throw UserMistake("'{}' is a symbolic link to a missing file; give the name of the file itself", path);
  if (!exists || !S_ISREG(found.st_mode) || found.st_size == 0) return;
  const std::string begin = beginning_of_header();
  std::string found_begin(begin.size(), '\0');
  const io::Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  const ssize_t count = read(file.number(), found_begin.data(), found_begin.size());
  if (count < 0 || found_begin != begin)
    throw UserMistake("'{}' is not a run file; --overwrite replaces run files only: give another name", path);
}

void check_kind(const std::string& path, Existing existing) {
  if (existing == Existing::refuse) return;
  refuse_link_of_other_user(option_of(existing), path);
  try {
    if (existing == Existing::append) const InputFile file(path, input_limits::max_run_file_bytes);
    if (existing == Existing::replace) require_run_file(path);
  } catch (const UserMistake& mistake) {
    throw UserMistake("{}: {}", option_of(existing), mistake.what());
  }
}

// Opens and locks the file; returns the descriptor. Throws UserMistake if another launch holds the lock.
int open_locked(const std::string& path, Existing existing) {
  check_kind(path, existing);
  const auto refuse = [&](int descriptor, int reason) {
    if (descriptor >= 0) close(descriptor);
    throw UserMistake("{}: '{}': {}", option_of(existing), path, std::strerror(reason));
  };
  const int descriptor = open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | flags_of(existing), 0666);
  if (descriptor < 0 && errno == EEXIST)
    throw UserMistake("--output: '{}' exists; give another name, --overwrite, or --continue {}", path, path);
  if (descriptor < 0 && errno == ENXIO)
    throw UserMistake("{}: '{}' is a pipe without a reader; give another name", option_of(existing), path);
  if (descriptor < 0) refuse(descriptor, errno);
  if (const int flags = fcntl(descriptor, F_GETFL); flags >= 0) fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK);
  // On a file system without locks other launches are not detected.
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    close(descriptor);
    throw UserMistake("{}: '{}' is being written by another launch; wait until that has ended, or end it",
                      option_of(existing), path);
  }
  if (existing == Existing::replace && ftruncate(descriptor, 0) != 0 && errno != EINVAL)
    refuse(descriptor, errno);  // EINVAL: a device cannot be truncated
  return descriptor;
}

// Whether the file begins with the run's header and ends with a complete line.
bool is_run_file_of(int descriptor, const std::string& run_id) {
  struct stat found {};
  if (fstat(descriptor, &found) != 0 || !S_ISREG(found.st_mode) || found.st_size == 0) return false;
  std::string begin(1024, '\0');
  char last = '\0';
  const ssize_t count = pread(descriptor, begin.data(), begin.size(), 0);
  begin.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  return begin.find(run_id_member(run_id)) != std::string::npos &&
         pread(descriptor, &last, 1, found.st_size - 1) == 1 && last == '\n';
}

}  // namespace

RunFile::RunFile(const std::string& path, Existing existing) : file_(path, open_locked(path, existing)) {}

void RunFile::fail(const char* doing, int reason) const {
  throw MachineFault("{} the run file '{}': {}; it contains the completed rounds", doing, file_.path(),
                     std::strerror(reason));
}

void RunFile::write_out() {
  if (const int failure = file_.write(std::exchange(pending_, {})); failure != 0) fail("writing", failure);
}

void RunFile::require_unchanged() {
  const std::string change = file_.change();
  if (change.empty()) return;
  const std::string path = file_.path();
  if (!file_.move_to_new_name())
    throw MachineFault("the run file '{}' {} during the run, and its contents could not be saved", path, change);
  throw MachineFault("the run file '{}' {} during the run; what was measured is in '{}'", path, change, file_.path());
}

void RunFile::on_header(const scheduler::Header& header) {
  machine_ = header.machine;
  pending_ += line_of(to_json(header));
  write_out();
}

void RunFile::on_sample(const scheduler::Sample& sample) {
  pending_ += line_of(to_json(sample, *machine_));
  if (pending_.size() > write_threshold) write_out();
}

void RunFile::on_histogram(const scheduler::HistogramRecord& histogram) { pending_ += line_of(to_json(histogram)); }

void RunFile::on_event(const scheduler::Event& event) { pending_ += line_of(to_json(event)); }

void RunFile::on_round(const scheduler::RoundRecord& record) {
  pending_ += line_of(to_json(record, *machine_));
  write_out();
  if (fdatasync(file_.descriptor()) != 0 && errno != EINVAL && errno != EROFS) fail("keeping", errno);
  require_unchanged();
}

void RunFile::on_end(const scheduler::End& end) {
  pending_ += line_of(to_json(end, *machine_));
  write_out();
  ended_ = true;
  require_unchanged();
}

void RunFile::on_fault(const scheduler::Fault& fault) {
  if (ended_ || !file_.change().empty()) return;
  pending_ = line_of(to_json(fault));  // discards the records of the unfinished round
  write_out();
}

void append_fault(const std::string& path, const std::string& run_id, const scheduler::Fault& fault) {
  const signals::SigxfszIgnored file_size_limit;
  const io::Descriptor file(open(path.c_str(), O_RDWR | O_APPEND | O_CLOEXEC | O_NONBLOCK));
  if (is_run_file_of(file.number(), run_id)) io::write_whole(file.number(), line_of(to_json(fault)));
}

std::string hash_of(const std::string& text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char letter : text) hash = (hash ^ static_cast<unsigned char>(letter)) * 1099511628211ULL;
  return fmt::format("fnv1a64:{:016x}", hash);
}

}  // namespace stressbench::output
