#include "io/appended_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "core/error.hpp"
#include "io/descriptor.hpp"
#include "io/fault.hpp"
#include "io/first_rank.hpp"

namespace stressbench::io {
namespace {

bool name_exists(const std::string& name) {
  struct stat known {};
  return ::lstat(name.c_str(), &known) == 0;
}

}  // namespace

AppendedFile::AppendedFile(const mpi::Group& group, std::string parameter, std::string path, Run run)
    : parameter_(std::move(parameter)), path_(std::move(path)), run_(std::move(run)) {
  on_first_rank(group, parameter_, [this] { claim(); });
}

void AppendedFile::claim() const {
  const auto refuse = [this](const std::string& why) {
    throw UserMistake("--{}: '{}' {}; remove it, or give another name", parameter_, path_, why);
  };
  if (has_foreign_sidecar(path_)) refuse("has an ownership record that belongs to another user or is a link");
  const auto owner = read_sidecar(path_);
  const bool file_is_own = owner && owner->run.id == run_.id;
  const Sidecar own = own_sidecar(run_, {.single_file = true});
  if (!file_is_own && name_exists(path_)) refuse("exists, and this run did not create it");
  try {
    if (owner && !file_is_own) replace_sidecar(path_, own);
    // Another job of this run, or another run, may have been faster.
    if (!owner && !create_sidecar(path_, own) && read_sidecar(path_)->run.id != run_.id)
      refuse("was claimed by another run at the same time");
  } catch (const MachineFault& fault) {
    throw MachineFault("--{}: {}", parameter_, fault.what());
  }
  const Descriptor created(open_checked(O_CREAT));
}

// Opens the run's own file only: a regular file of this user without other hard links.
int AppendedFile::open_checked(int flags) const {
  const auto fail = [this](const std::string& text) { throw MachineFault("--{} '{}': {}", parameter_, path_, text); };
  const int file =
      ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | flags, 0666);
  if (file < 0) fail(error_text(errno));
  struct stat found {};
  const bool own =
      ::fstat(file, &found) == 0 && S_ISREG(found.st_mode) && found.st_uid == ::geteuid() && found.st_nlink == 1;
  if (own) return file;
  ::close(file);
  fail("is not the file that this run created");
  return -1;
}

bool AppendedFile::is_empty() const {
  const Descriptor file(open_checked(0));
  struct stat found {};
  return ::fstat(file.number(), &found) == 0 && found.st_size == 0;
}

void AppendedFile::append(std::string_view text) const {
  const Descriptor file(open_checked(0));
  const int failure = write_whole(file.number(), text);
  if (failure != 0) throw MachineFault("--{} '{}': {}", parameter_, path_, error_text(failure));
}

}  // namespace stressbench::io
