// Whose files these are. A path is claimed before the first file is made, with a note beside it that says by which run;
// what was there before is not touched.
#pragma once

#include <string>
#include <vector>

#include "io/layout.hpp"
#include "io/sidecar.hpp"
#include "mpi/group.hpp"

namespace stressbench::io {

enum class Existing { refuse, replace };  // replace: ordinary files only

struct Claim {
  std::string path;
  Layout layout;
  Run run;
  Existing existing = Existing::refuse;
  bool keep = false;       // when the claim ends
  bool exclusive = false;  // no other step of the job may claim the path as long as this one does
};

// Files of one step of a job. Steps of a job may claim the same path, unless one of them is to have it alone: the files
// go with the last of them.
class OwnedFiles {
 public:
  // Collective. Makes the directories, no files. What an earlier launch of this run left is removed first. On every
  // rank throws ParameterMistake "file" where the files are not this run's, MachineFault where the storage refuses.
  OwnedFiles(const mpi::Group& group, Claim claim);
  OwnedFiles(const OwnedFiles&) = delete;
  OwnedFiles& operator=(const OwnedFiles&) = delete;
  // Alone: after a fault any rank removes all files, as the others are about to be ended; else rank 0 does.
  ~OwnedFiles();

  // Collective over the same ranks, once no rank uses the files: each removes its share.
  void release(const mpi::Group& group);

  // What a reader must know, on the first rank: that files were left behind, since the last call.
  std::vector<std::string> notes();

 private:
  bool last_user() noexcept;
  void forget() noexcept;

  Claim claim_;
  std::string key_;
  int rank_;
  int exceptions_;
  bool held_ = false;
  std::vector<std::string> notes_;
};

}  // namespace stressbench::io
