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
struct CreatedFiles {
  Layout layout;
  int users = 0;
  bool keep = false;
  bool exclusive = false;
  bool failed = false;
};
std::map<std::string, CreatedFiles>& created_files() {
  static std::map<std::string, CreatedFiles> all;
  return all;
}

std::string key_of(const std::string& path) {
  std::error_code unknown;
  return std::filesystem::absolute(path, unknown).lexically_normal().string();
}

[[noreturn]] void refuse(const std::string& text) { throw ParameterMistake("file", "--file: " + text); }

[[noreturn]] void refuse_owner(const std::string& path, const Sidecar& owner) {
  refuse(
      fmt::format("'{}' belongs to run '{}' on host {} (process {}, launch {}), which is running or was interrupted; "
                  "give --run-id {} to continue it, or --overwrite",
                  path, owner.run.id, owner.host, owner.pid, owner.run.launch, owner.run.id));
}

bool belongs_to_other_job(const Sidecar& owner, const Run& run) {
  return owner.run.id == run.id && owner.run.launch == run.launch;
}

// Whether the owner is another launch that runs on this host. Launches on other hosts cannot be checked.
bool is_running_here(const Sidecar& owner) {
  const Sidecar own = own_sidecar({}, {});
  return owner.host == own.host && owner.pid != own.pid && is_running(owner.pid, owner.process_start);
}

std::optional<Sidecar> owner_of(const Claim& claim) {
  // Not even with --overwrite: it says which files are to be removed.
  if (has_foreign_sidecar(claim.path)) {
    refuse(fmt::format("'{}' belongs to another user or is not a regular file; remove it, or give another path",
                       sidecar_name(claim.path)));
  }
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
          fmt::format("'{}': interrupted while removing the files of run '{}'; the next launch removes the others",
                      path, owner.run.id));
    }
    removed += remove_share(path, layout, {share, shares});
  }
  return removed + remove_all(path, {.single_file = layout.single_file,
                                     .directories = std::min<std::int64_t>(layout.directories, 1)});
}

void remove_leftovers(const Claim& claim, std::vector<std::string>& notes) {
  const auto owner = owner_of(claim);
  if (!owner) return;
  const bool may_replace = claim.existing == Existing::replace;
  if (!may_replace && owner->run.id != claim.run.id) refuse_owner(claim.path, *owner);
  if (belongs_to_other_job(*owner, claim.run) || (!may_replace && is_running_here(*owner))) {
    refuse(fmt::format("'{}' is in use by process {} on host {}, of the same run '{}'; give each job its own file",
                       claim.path, owner->pid, owner->host, owner->run.id));
  }
  const std::int64_t removed = remove_until_stopped(claim.path, *owner);
  if (!remove_sidecar(claim.path)) throw_io_fault("unlink", sidecar_name(claim.path), errno);
  if (owner->run.id.empty()) return;
  notes.push_back(fmt::format("'{}': removed {} that run '{}' had left when it was interrupted", claim.path,
                              removed == 1 ? "a file" : fmt::format("{} files", removed), owner->run.id));
}

// Throws if the name exists and may not be replaced.
void require_free_name(const std::string& name, Existing existing) {
  struct stat status {};
  if (::lstat(name.c_str(), &status) != 0) return;  // a missing directory is reported when the sidecar is created
  if (!S_ISREG(status.st_mode)) refuse(fmt::format("'{}' is not a regular file", name));
  if (existing == Existing::refuse) {
    refuse(fmt::format("'{}' exists, and this run did not create it; remove it, or give --overwrite", name));
  }
}

// Executed by the first rank for all. Afterwards nothing of `claim` exists except its sidecar file, its directories and
// the files of `existing`. A failed claim leaves nothing.
void claim_files(const Claim& claim, const Layout& existing, bool has_sidecar, std::vector<std::string>& notes) {
  if (!has_sidecar) remove_leftovers(claim, notes);
  const auto check = [&](const std::string& name) { require_free_name(name, claim.existing); };
  for_each_directory(claim.path, claim.layout, existing, check);
  for_each_file(claim.path, claim.layout, existing, check);
  const Sidecar sidecar = own_sidecar(claim.run, merged(existing, claim.layout));
  if (has_sidecar) {
    replace_sidecar(claim.path, sidecar);
  } else if (!create_sidecar(claim.path, sidecar)) {
    refuse(fmt::format("'{}' was claimed by another run at the same time", claim.path));
  }
  std::vector<std::string> directories;
  try {
    for_each_file(claim.path, claim.layout, existing, [](const std::string& name) {
      if (::unlink(name.c_str()) != 0 && errno != ENOENT) throw_io_fault("unlink", name, errno);
    });
    for_each_directory(claim.path, claim.layout, existing, [&](const std::string& name) {
      if (::mkdir(name.c_str(), 0777) != 0) throw_io_fault("mkdir", name, errno);
      directories.push_back(name);
    });
  } catch (...) {
    while (!directories.empty()) {
      ::rmdir(directories.back().c_str());
      directories.pop_back();
    }
    if (!has_sidecar) remove_sidecar(claim.path);
    throw;
  }
}

void claim_for_step(const Claim& claim, const std::string& key, std::vector<std::string>& notes) {
  const auto created = created_files().find(key);
  const bool claimed_by_this_job = created != created_files().end();
  if (claimed_by_this_job && created->second.users > 0 && (claim.exclusive || created->second.exclusive)) {
    refuse(fmt::format("'{}' belongs to another step of this job; give each step its own path", claim.path));
  }
  claim_files(claim, claimed_by_this_job ? created->second.layout : Layout{},
              claimed_by_this_job && created->second.users > 0, notes);
}

}  // namespace

OwnedFiles::OwnedFiles(const mpi::Group& group, Claim claim)
    : claim_(std::move(claim)),
      key_(key_of(claim_.path)),
      rank_(group.rank()),
      exceptions_(std::uncaught_exceptions()) {
  on_first_rank(group, "file", [&] { claim_for_step(claim_, key_, notes_); });
  CreatedFiles& created = created_files()[key_];
  created.layout = merged(created.layout, claim_.layout);
  created.keep |= claim_.keep;
  created.exclusive = claim_.exclusive;
  ++created.users;
  claimed_ = true;
}

OwnedFiles::~OwnedFiles() {
  if (!claimed_) return;
  CreatedFiles& created = created_files()[key_];
  created.failed |= std::uncaught_exceptions() > exceptions_;
  if (!remove_user()) return;
  if (created.failed || rank_ == 0) {
    if (!created.keep) remove_all(claim_.path, created.layout);
    if (!created.keep || !created.failed) remove_sidecar(claim_.path);  // kept files of a failed run remain its own
  }
  forget_if_removed();
}

void OwnedFiles::release(const mpi::Group& group) {
  if (!claimed_ || !remove_user()) return;
  const CreatedFiles& created = created_files()[key_];
  if (!created.keep) {
    remove_share(claim_.path, created.layout, {rank_, group.size()});
    group.barrier();
  }
  if (rank_ == 0) {
    if (!created.keep)
      remove_all(claim_.path, {.single_file = created.layout.single_file, .directories = created.layout.directories});
    remove_sidecar(claim_.path);
  }
  forget_if_removed();
}

std::vector<std::string> OwnedFiles::notes() { return std::exchange(notes_, {}); }

bool OwnedFiles::remove_user() noexcept {
  claimed_ = false;
  return --created_files()[key_].users == 0;
}

// Kept files stay registered, since a later step may write to them again.
void OwnedFiles::forget_if_removed() noexcept {
  const auto created = created_files().find(key_);
  if (created->second.keep && !created->second.failed) return;
  created_files().erase(created);
}

}  // namespace stressbench::io
