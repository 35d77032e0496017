// Workloads from text in the test, without files.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fake_catalogue.hpp"
#include "workload/check.hpp"
#include "workload/placement.hpp"

namespace stressbench::workload {

// Listing 1 of the StressBench paper, verbatim.
inline const std::string listing1 =
    "[JOB_NAME] TeaLeaf_CG\n"
    "[NID_LIST] 6,9,17,18,33,41,58,67,\n"
    "\n"
    "72,75,83,84,87,90,102,103\n"
    "[MOTIF] AllReduce\n"
    "[MOTIF] Compute -m 350000\n"
    "[MOTIF] AllReduce\n"
    "[MOTIF] Compute -m 350000\n"
    "[MOTIF] halo2d -x 4000 -y 4000\n"
    "[MOTIF] MPIIO -s 1500000 -i 1 -m 256 -f <file_path>\n"
    "\n"
    "-n MPI_File_write_all\n";

// A complete job, for tests of something else.
inline const std::string job = "[JOB_NAME] A\n[NODES] 2\n[MOTIF] allreduce\n";

using Files = std::map<std::string, std::string>;

inline ReadFile reader(const Files& files) {
  return [files](const std::string& path) {
    const auto found = files.find(path);
    if (found == files.end()) throw UserMistake("cannot read '" + path + "': there is no such file");
    return found->second;
  };
}

inline Workload load_text(const std::string& text, std::optional<Machine> machine = std::nullopt,
                          const std::vector<Setting>& settings = {}) {
  return load("w.sb", reader({{"w.sb", text}}), FakeCatalogue{}, machine, settings);
}

// "line:column: message" of each mistake, in the order in which they are reported.
inline std::vector<std::string> mistakes_of(const Files& files, std::optional<Machine> machine = std::nullopt,
                                            const std::vector<Setting>& settings = {}) {
  std::vector<std::string> texts;
  try {
    load("w.sb", reader(files), FakeCatalogue{}, machine, settings);
  } catch (const Rejected& rejected) {
    for (const Diagnostic& diagnostic : rejected.diagnostics()) {
      texts.push_back(std::to_string(diagnostic.where.line) + ":" + std::to_string(diagnostic.where.column) + ": " +
                      diagnostic.message);
    }
  }
  return texts;
}

inline std::vector<std::string> mistakes(const std::string& text, std::optional<Machine> machine = std::nullopt,
                                         const std::vector<Setting>& settings = {}) {
  return mistakes_of({{"w.sb", text}}, machine, settings);
}

// what() of the exception if the workload is refused, "" otherwise.
inline std::string diagnostics_of(const std::string& text, std::optional<Machine> machine = std::nullopt) {
  try {
    load_text(text, machine);
  } catch (const Rejected& rejected) {
    return rejected.what();
  }
  return "";
}

inline std::string replaced(std::string text, const std::string& original, const std::string& replacement) {
  return text.replace(text.find(original), original.size(), replacement);
}

}  // namespace stressbench::workload
