#include "storage/load.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>
#include <vector>

namespace stressbench::storage {
namespace {

namespace fs = std::filesystem;

// The folder of the build is used by programs of that build alone: once the build is gone, anybody may make a folder of
// its name, as a package is built below /tmp.
bool belongs_to_build(const fs::path& program, const fs::path& built) {
  std::error_code unknown;
  const fs::path tree = fs::weakly_canonical(built, unknown).parent_path().parent_path();
  return !unknown && std::ranges::mismatch(tree, program).in1 == tree.end();
}

void load_from(const fs::path& folder) {
  std::error_code unreadable;
  std::vector<fs::path> modules;
  for (const auto& entry : fs::directory_iterator(folder, unreadable)) {
    if (entry.path().extension() == ".so") modules.push_back(entry.path());
  }
  std::ranges::sort(modules);
  for (const fs::path& module : modules) ::dlopen(module.c_str(), RTLD_NOW | RTLD_LOCAL);  // and never closed
}

}  // namespace

void load_backends() {
  static bool loaded = false;
  if (loaded) return;
  loaded = true;
  std::error_code unknown;
  const fs::path program = fs::read_symlink("/proc/self/exe", unknown);
  const std::array folders{program.parent_path() / ".." / "lib" / "stressbench" / "backends",
                           fs::path(STRESSBENCH_BUILT_BACKENDS)};
  for (const fs::path& folder : folders) {
    if (!fs::is_directory(folder, unknown)) continue;
    if (folder == folders.back() && !belongs_to_build(program, folder)) continue;
    load_from(folder);
    return;
  }
}

}  // namespace stressbench::storage
