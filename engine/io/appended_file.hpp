// A result file that a run creates and appends to in each round, also when it is continued. Like the files of storage
// motifs it belongs to the run, which is recorded in a sidecar file next to it. No other file is ever appended to.
#pragma once

#include <string>
#include <string_view>

#include "io/sidecar.hpp"
#include "mpi/group.hpp"

namespace stressbench::io {

class AppendedFile {
 public:
  // Collective. The first rank creates the file, or finds that it belongs to this run. Throws on every rank:
  // ParameterMistake `parameter` if the file is another's or a link, MachineFault if it cannot be created.
  AppendedFile(const mpi::Group& group, std::string parameter, std::string path, Run run);

  // Only on the first rank. Throws MachineFault.
  void append(std::string_view text) const;
  bool is_empty() const;

 private:
  void claim() const;
  int open_checked(int flags) const;

  std::string parameter_;
  std::string path_;
  Run run_;
};

}  // namespace stressbench::io
