// Ownership of simulated files. They exist only in this launch, so that no earlier launch can have left any.
#include "io/owned_files.hpp"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "core/error.hpp"
#include "io/first_rank.hpp"
#include "io/simulated/io_nodes.hpp"
#include "mpi/environment.hpp"

namespace stressbench::io {
namespace {

[[noreturn]] void refuse(const std::string& text) { throw ParameterMistake("file", "--file: " + text); }

// Jobs have disjoint ranks.
int own_job() { return mpi::launched_rank().value_or(0); }

void require_free_names(const Claim& claim, const Layout& existing) {
  if (claim.existing == Existing::replace) return;
  for_each_file(claim.path, claim.layout, existing, [](const std::string& name) {
    if (IoNodes::all().find(name) != nullptr)
      refuse(fmt::format("'{}' exists, and this run did not create it; remove it, or give --overwrite", name));
  });
}

void remove_files(const std::string& path, const Layout& layout) {
  for_each_file(path, layout, {}, [](const std::string& name) { IoNodes::all().remove(name); });
}

// Executed by the first rank for all.
void claim_files(const Claim& claim, const std::string& key) {
  auto& claims = IoNodes::all().claims();
  const auto found = claims.find(key);
  Layout existing;
  if (found != claims.end()) {
    const SimulatedClaim& other = found->second;
    if (other.owner != own_job() && other.users > 0)
      refuse(fmt::format("'{}' is in use by another job of this run; give each job its own file", claim.path));
    if (other.users > 0 && (claim.exclusive || other.exclusive))
      refuse(fmt::format("'{}' belongs to another step of this job; give each step its own path", claim.path));
    if (other.owner == own_job()) existing = other.layout;
  }
  require_free_names(claim, existing);
  for_each_file(claim.path, claim.layout, existing, [](const std::string& name) { IoNodes::all().remove(name); });
  SimulatedClaim& own = claims[key];
  own = {.owner = own_job(),
         .layout = merged(existing, claim.layout),
         .users = own.users + 1,
         .keep = own.keep || claim.keep,
         .exclusive = claim.exclusive};
}

}  // namespace

OwnedFiles::OwnedFiles(const mpi::Group& group, Claim claim)
    : claim_(std::move(claim)),
      key_(IoNodes::key_of(claim_.path)),
      rank_(group.rank()),
      exceptions_(std::uncaught_exceptions()) {
  on_first_rank(group, "file", [&] { claim_files(claim_, key_); });
  claimed_ = true;
}

OwnedFiles::~OwnedFiles() {
  if (claimed_) remove_user();
}

void OwnedFiles::release(const mpi::Group& group) {
  if (!claimed_) return;
  group.barrier();
  remove_user();
}

std::vector<std::string> OwnedFiles::notes() { return std::exchange(notes_, {}); }

// The first rank acts for all.
bool OwnedFiles::remove_user() noexcept {
  claimed_ = false;
  auto& claims = IoNodes::all().claims();
  const auto found = claims.find(key_);
  if (rank_ != 0 || found == claims.end() || --found->second.users > 0) return false;
  if (!found->second.keep) {
    remove_files(claim_.path, found->second.layout);
    claims.erase(found);
  }
  return true;
}

void OwnedFiles::forget_if_removed() noexcept {}

}  // namespace stressbench::io
