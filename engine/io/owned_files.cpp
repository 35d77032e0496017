#include "io/owned_files.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <filesystem>
#include <map>
#include <utility>

#include "core/error.hpp"
#include "core/process.hpp"
#include "core/signals.hpp"
#include "io/fault.hpp"
#include "io/first_rank.hpp"

namespace stressbench::io {
namespace {

// What this job created at a path, as known in this process.
struct Made {
  Layout layout;
  int users = 0;
  bool keep = false;
  bool exclusive = false;
  bool failed = false;
};
std::map<std::string, Made>& made_here() {
  static std::map<std::string, Made> all;
  return all;
}

std::string key_of(const std::string& path) {
  std::error_code unknown;
  return std::filesystem::absolute(path, unknown).lexically_normal().string();
}

[[noreturn]] void refuse(const std::string& words) { throw ParameterMistake("file", "--file: " + words); }

[[noreturn]] void refuse_owner(const std::string& path, const Sidecar& owner) {
  refuse(
      fmt::format("'{}' belongs to run '{}' on host {} (process {}, launch {}), which is running or was interrupted; "
                  "give --run-id {} to continue it, or --overwrite",
                  path, owner.run.id, owner.host, owner.pid, owner.run.launch, owner.run.id));
}

bool of_another_job(const Sidecar& owner, const Run& run) {
  return owner.run.id == run.id && owner.run.launch == run.launch;
}

// Whether the owner is another launch that runs on this host. Launches on other hosts cannot be checked.
bool lives(const Sidecar& owner) {
  const Sidecar self = sidecar_of({}, {});
  return owner.host == self.host && owner.pid != self.pid && is_running(owner.pid, owner.process_start);
}

std::optional<Sidecar> owner_of(const Claim& claim) {
  try {
    return read_sidecar(claim.path);
  } catch (const UserMistake& mistake) {
    if (claim.existing == Existing::refuse) refuse(mistake.what());
    return Sidecar{};
  }
}

// Removes files in shares of some thousand names, and obeys a stop signal between them.
std::int64_t remove_until_stopped(const std::string& path, const Sidecar& owner) {
  constexpr std::int64_t names = 4096;
  const Layout& layout = owner.layout;
  const int shares = static_cast<int>(1 + std::max(layout.files, layout.directories) / names);
  std::int64_t removed = 0;
  for (int share = 0; share < shares; ++share) {
    if (share > 0 && signals::stop_requested != 0) {
      throw MachineFault(
          fmt::format("'{}': told to stop while removing the files of run '{}'; the next launch removes the others",
                      path, owner.run.id));
    }
    removed += remove_share(path, layout, {share, shares});
  }
  return removed + remove_all(path, {.one = layout.one, .directories = std::min<std::int64_t>(layout.directories, 1)});
}

void remove_leftovers(const Claim& claim, std::vector<std::string>& notes) {
  const auto owner = owner_of(claim);
  if (!owner) return;
  const bool may_replace = claim.existing == Existing::replace;
  if (!may_replace && owner->run.id != claim.run.id) refuse_owner(claim.path, *owner);
  if (of_another_job(*owner, claim.run) || (!may_replace && lives(*owner))) {
    refuse(fmt::format("'{}' is in use by process {} on host {}, of the same run '{}'; give each job its own file",
                       claim.path, owner->pid, owner->host, owner->run.id));
  }
  const std::int64_t removed = remove_until_stopped(claim.path, *owner);
  if (!remove_sidecar(claim.path)) raise("unlink", sidecar_name(claim.path), errno);
  if (owner->run.id.empty()) return;
  notes.push_back(fmt::format("'{}': removed {} that run '{}' had left when it was interrupted", claim.path,
                              removed == 1 ? "a file" : fmt::format("{} files", removed), owner->run.id));
}

// Throws if the name exists and may not be replaced.
void must_be_free(const std::string& name, Existing existing) {
  struct stat known {};
  if (::lstat(name.c_str(), &known) != 0) return;  // a missing directory is reported when the sidecar is created
  if (!S_ISREG(known.st_mode)) refuse(fmt::format("'{}' is not a regular file", name));
  if (existing == Existing::refuse) {
    refuse(fmt::format("'{}' exists, and this run did not create it; remove it, or give --overwrite", name));
  }
}

// Executed by the first rank for all. Afterwards nothing of `claim` exists except its sidecar file, its directories and
// the files of `known`. A failed claim leaves nothing.
void take(const Claim& claim, const Layout& known, bool noted, std::vector<std::string>& notes) {
  if (!noted) remove_leftovers(claim, notes);
  const auto check = [&](const std::string& name) { must_be_free(name, claim.existing); };
  for_each_directory(claim.path, claim.layout, known, check);
  for_each_file(claim.path, claim.layout, known, check);
  const Sidecar note = sidecar_of(claim.run, united(known, claim.layout));
  if (noted) {
    replace_sidecar(claim.path, note);
  } else if (!make_sidecar(claim.path, note)) {
    refuse(fmt::format("'{}' was claimed by another run at the same time", claim.path));
  }
  std::vector<std::string> directories;
  try {
    for_each_file(claim.path, claim.layout, known, [](const std::string& name) {
      if (::unlink(name.c_str()) != 0 && errno != ENOENT) raise("unlink", name, errno);
    });
    for_each_directory(claim.path, claim.layout, known, [&](const std::string& name) {
      if (::mkdir(name.c_str(), 0777) != 0) raise("mkdir", name, errno);
      directories.push_back(name);
    });
  } catch (...) {
    while (!directories.empty()) {
      ::rmdir(directories.back().c_str());
      directories.pop_back();
    }
    if (!noted) remove_sidecar(claim.path);
    throw;
  }
}

void take_exclusively(const Claim& claim, const std::string& key, std::vector<std::string>& notes) {
  const auto made = made_here().find(key);
  const bool ours = made != made_here().end();
  if (ours && made->second.users > 0 && (claim.exclusive || made->second.exclusive)) {
    refuse(fmt::format("'{}' belongs to another step of this job; give each step its own path", claim.path));
  }
  take(claim, ours ? made->second.layout : Layout{}, ours && made->second.users > 0, notes);
}

}  // namespace

OwnedFiles::OwnedFiles(const mpi::Group& group, Claim claim)
    : claim_(std::move(claim)),
      key_(key_of(claim_.path)),
      rank_(group.rank()),
      exceptions_(std::uncaught_exceptions()) {
  on_first_rank(group, "file", [&] { take_exclusively(claim_, key_, notes_); });
  Made& made = made_here()[key_];
  made.layout = united(made.layout, claim_.layout);
  made.keep |= claim_.keep;
  made.exclusive = claim_.exclusive;
  ++made.users;
  held_ = true;
}

OwnedFiles::~OwnedFiles() {
  if (!held_) return;
  Made& made = made_here()[key_];
  made.failed |= std::uncaught_exceptions() > exceptions_;
  if (!last_user()) return;
  if (made.failed || rank_ == 0) {
    if (!made.keep) remove_all(claim_.path, made.layout);
    if (!made.keep || !made.failed) remove_sidecar(claim_.path);  // kept files of a failed run remain its own
  }
  forget();
}

void OwnedFiles::release(const mpi::Group& group) {
  if (!held_ || !last_user()) return;
  const Made& made = made_here()[key_];
  if (!made.keep) {
    remove_share(claim_.path, made.layout, {rank_, group.size()});
    group.barrier();
  }
  if (rank_ == 0) {
    if (!made.keep) remove_all(claim_.path, {.one = made.layout.one, .directories = made.layout.directories});
    remove_sidecar(claim_.path);
  }
  forget();
}

std::vector<std::string> OwnedFiles::notes() { return std::exchange(notes_, {}); }

bool OwnedFiles::last_user() noexcept {
  held_ = false;
  return --made_here()[key_].users == 0;
}

// Kept files stay known, since a later step may write to them again.
void OwnedFiles::forget() noexcept {
  const auto made = made_here().find(key_);
  if (made->second.keep && !made->second.failed) return;
  made_here().erase(made);
}

}  // namespace stressbench::io
