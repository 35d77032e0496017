#include "telemetry/source.hpp"

#include <algorithm>
#include <cstdlib>

namespace stressbench::telemetry {
namespace {

std::vector<SourceEntry>& registered_sources() {
  static std::vector<SourceEntry> all;
  return all;
}

}  // namespace

std::vector<SourceEntry> source_entries() {
  std::vector<SourceEntry> all = registered_sources();
  std::ranges::sort(all, {}, &SourceEntry::name);
  return all;
}

void add_source(SourceEntry entry) { registered_sources().push_back(std::move(entry)); }

FileTree kernel_files() {
  const char* root = std::getenv("STRESSBENCH_TELEMETRY_ROOT");
  return FileTree(root == nullptr || *root == '\0' ? "/" : root);
}

}  // namespace stressbench::telemetry
