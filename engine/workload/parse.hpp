// Reading a workload: the language of docs/workload-language.md. What can be said without knowing the motifs and the
// machine is checked here; check.hpp does the rest.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "workload/diagnostics.hpp"
#include "workload/model.hpp"
#include "workload/variables.hpp"

namespace stressbench::workload {

// A file's text by its path; throws UserMistake when there is none.
using ReadFile = std::function<std::string(const std::string& path)>;
// From the disk. Refuses what is not a regular file and what is larger than limits.hpp allows.
std::string read_file(const std::string& path);

struct Parsed {
  Workload workload;
  Diagnostics diagnostics;
  Position start;        // the workload as a whole
  bool complete = true;  // false: reading stopped early, so that what is missing says nothing
};

// Never throws for what stands in the files: that is in `diagnostics`. What `read` throws for `path` itself passes
// through.
Parsed parse(const std::string& path, const ReadFile& read, const std::vector<Setting>& settings = {});

// Every key of the language, with its brackets, in the order of the documentation.
std::vector<std::string> keys();

}  // namespace stressbench::workload
