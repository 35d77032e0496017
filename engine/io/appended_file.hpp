// A file of results that a run makes and appends to, round after round, also when it is continued. It is the run's own,
// as the files of storage motifs are: a note beside it, which stays, says whose it is. Nothing else is ever appended
// to.
#pragma once

#include <string>
#include <string_view>

#include "io/sidecar.hpp"
#include "mpi/group.hpp"

namespace stressbench::io {

class AppendedFile {
 public:
  // Collective. The first rank makes the file, or finds it as this run's. On every rank throws ParameterMistake
  // `parameter` where the file is not this run's, or a link; MachineFault where it cannot be made.
  AppendedFile(const mpi::Group& group, std::string parameter, std::string path, Run run);

  // On the first rank. Throws MachineFault.
  void append(std::string_view text) const;
  bool is_empty() const;

 private:
  void claim() const;
  int opened(int flags) const;

  std::string parameter_;
  std::string path_;
  Run run_;
};

}  // namespace stressbench::io
