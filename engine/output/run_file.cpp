#include "output/run_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/input_file.hpp"
#include "core/input_limits.hpp"
#include "output/json.hpp"

namespace stressbench::output {
namespace {

// One write when the round ends would be the least disturbance, but a round may hold many megabytes: written in pieces
// of this size.
constexpr std::size_t piece = 1U << 20;

int flags_of(Existing existing) noexcept {
  switch (existing) {
    case Existing::refuse:
      return O_CREAT | O_EXCL;
    case Existing::replace:
      return O_CREAT;
    case Existing::append:
      return O_NONBLOCK;  // should it have become a FIFO, which would wait for its reader
  }
  return 0;
}

const char* option_of(Existing existing) noexcept { return existing == Existing::append ? "--continue" : "--output"; }

std::string line_of(const Json& record) { return record.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n'; }

}  // namespace

RunFile::RunFile(std::string path, Existing existing) : path_(std::move(path)) {
  if (existing == Existing::append) check_kind();
  descriptor_ = open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | flags_of(existing), 0666);
  if (descriptor_ < 0 && errno == EEXIST)
    throw UserMistake(
        fmt::format("--output: '{}' exists; give another name, --overwrite, or --continue {}", path_, path_));
  if (descriptor_ < 0) refuse(existing);
  // Where a file system knows no locks, nobody is kept out.
  if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    close(descriptor_);
    throw UserMistake(fmt::format("{}: '{}' is being written by another launch; wait until that has ended, or end it",
                                  option_of(existing), path_));
  }
  if (existing == Existing::replace && ftruncate(descriptor_, 0) != 0 && errno != EINVAL)
    refuse(existing);  // a device has no length
}

RunFile::~RunFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

void RunFile::check_kind() const {
  try {
    const InputFile file(path_, input_limits::run_file_bytes);
  } catch (const UserMistake& mistake) {
    throw UserMistake(fmt::format("--continue: {}", mistake.what()));
  }
}

void RunFile::refuse(Existing existing) const {
  const int reason = errno;
  if (descriptor_ >= 0) close(descriptor_);
  throw UserMistake(fmt::format("{}: '{}': {}", option_of(existing), path_, std::strerror(reason)));
}

void RunFile::fail(const char* doing) const {
  throw MachineFault(fmt::format("{} the run file '{}': {}; the rounds before are in it and can be read", doing, path_,
                                 std::strerror(errno)));
}

void RunFile::write_out() {
  std::size_t done = 0;
  while (done < pending_.size()) {
    const ssize_t wrote = write(descriptor_, pending_.data() + done, pending_.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) {
      pending_.clear();
      fail("writing");
    }
    done += static_cast<std::size_t>(wrote);
  }
  pending_.clear();
}

void RunFile::on_header(const schedule::Header& header) {
  machine_ = header.machine;
  pending_ += line_of(to_json(header));
  write_out();
}

void RunFile::on_sample(const schedule::Sample& sample) {
  pending_ += line_of(to_json(sample, *machine_));
  if (pending_.size() > piece) write_out();
}

void RunFile::on_histogram(const schedule::HistogramRecord& histogram) { pending_ += line_of(to_json(histogram)); }

void RunFile::on_event(const schedule::Event& event) { pending_ += line_of(to_json(event)); }

void RunFile::on_round(const schedule::RoundRecord& record) {
  pending_ += line_of(to_json(record));
  write_out();
  if (fdatasync(descriptor_) != 0 && errno != EINVAL && errno != EROFS) fail("keeping");
}

void RunFile::on_end(const schedule::End& end) {
  pending_ += line_of(to_json(end));
  write_out();
}

std::string hash_of(const std::string& text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char letter : text) hash = (hash ^ static_cast<unsigned char>(letter)) * 1099511628211ULL;
  return fmt::format("fnv1a64:{:016x}", hash);
}

}  // namespace stressbench::output
