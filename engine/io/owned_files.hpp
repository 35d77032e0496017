// Ownership of files. A path is claimed for a run before the first file is created, by a sidecar file next to it;
// existing files of others are not touched.
#pragma once

#include <string>
#include <vector>

#include "io/layout.hpp"
#include "io/sidecar.hpp"
#include "mpi/group.hpp"

namespace stressbench::io {

enum class Existing { refuse, replace };  // replace: regular files only

struct Claim {
  std::string path;
  Layout layout;
  Run run;
  Existing existing = Existing::refuse;
  bool keep = false;       // leave the files when the claim ends
  bool exclusive = false;  // no other step of the job may claim the path as long as this one does
};

// Files of one step of a job. Steps of a job may claim the same path, unless one of the claims is exclusive; the files
// are removed when the last of these claims ends.
class OwnedFiles {
 public:
  // Collective. Creates the directories, but no files, after removing what an earlier launch of this run left. Throws
  // on every rank: ParameterMistake "file" if the files belong to others, MachineFault if the storage fails.
  OwnedFiles(const mpi::Group& group, Claim claim);
  OwnedFiles(const OwnedFiles&) = delete;
  OwnedFiles& operator=(const OwnedFiles&) = delete;
  // Not collective. After a fault any rank removes all files, since the others are about to end; otherwise rank 0 does.
  ~OwnedFiles();

  // Collective over the same ranks, once no rank uses the files: each removes its share.
  void release(const mpi::Group& group);

  // On the first rank: notes on files that were left behind, since the last call.
  std::vector<std::string> notes();

 private:
  bool remove_user() noexcept;
  void forget_if_removed() noexcept;

  Claim claim_;
  std::string key_;
  int rank_;
  int exceptions_;
  bool claimed_ = false;
  std::vector<std::string> notes_;
};

}  // namespace stressbench::io
