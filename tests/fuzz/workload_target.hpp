// What both fuzzers do with a text: read, check, print, place. Any crash, hang or exception other than a user's mistake
// is a bug.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

#include "fake_catalogue.hpp"
#include "workload/check.hpp"
#include "workload/placement.hpp"
#include "workload/print.hpp"

namespace stressbench::workload {

inline void require(bool holds, const char* what, const std::string& text) {
  if (holds) return;
  std::fprintf(stderr, "%s; the text was:\n%s\n", what, text.substr(0, 4000).c_str());
  std::abort();
}

// Includes find the text itself under another name, so that depth and cycles are met, or a piece that may stand in a
// job.
inline ReadFile self_reader(const std::string& text) {
  return [&text](const std::string& path) -> std::string {
    if (path == "w.sb" || path == "copy.sb") return text;
    if (path == "part.sb") return "[MOTIF] compute\n";
    throw UserMistake("there is no such file");
  };
}

// Returns whether the text was accepted.
inline bool try_workload(const std::string& text) {
  static const Machine machine = Machine::uniform(104, 16);
  static const FakeCatalogue catalogue;
  try {
    const Workload workload = load("w.sb", self_reader(text), catalogue, machine);
    const std::string printed = print(workload);
    const Workload again = load("w.sb", self_reader(printed), catalogue, machine);
    require(again == workload, "printed and read again, the workload differs", text);
    for (const PlacementStrategy placing :
         {PlacementStrategy::linear, PlacementStrategy::interleaved, PlacementStrategy::random}) {
      const auto placed = place(workload, machine, {placing, 1});
      require(placed.size() == workload.jobs.size(), "not every job is placed", text);
    }
    return true;
  } catch (const Rejected& rejected) {
    require(rejected.total() > 0 && rejected.what()[0] != '\0', "refused without a mistake", text);
    require(std::string(rejected.what()).size() < 400'000, "the message is too long", text);
    return false;
  }
}

}  // namespace stressbench::workload
