#include "io/load.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace stressbench::io {
namespace {

namespace fs = std::filesystem;

// An optional backend as the build found it (libraries.cmake). `missing`: why there is no module; `packages`: which
// packages contain the library.
struct BuiltBackend {
  std::string_view name;
  std::string_view missing;
  std::string_view packages;
};
constexpr auto optional_backends = std::to_array<BuiltBackend>({
#include "optional_backends.inc"
});

// Only programs inside the build directory use its modules. Once the build directory is gone, anybody could create one
// of the same name, since packages are built below /tmp.
bool belongs_to_build(const fs::path& program, const fs::path& modules) {
  std::error_code unknown;
  const fs::path tree = fs::weakly_canonical(modules, unknown).parent_path().parent_path();
  return !unknown && std::ranges::mismatch(tree, program).in1 == tree.end();
}

fs::path folder_of_modules() {
  std::error_code unknown;
  const fs::path program = fs::read_symlink("/proc/self/exe", unknown);
  fs::path installed = program.parent_path().parent_path() / "lib" / "stressbench" / "backends";
  if (!fs::is_directory(installed, unknown) && belongs_to_build(program, STRESSBENCH_BUILT_BACKENDS)) {
    return STRESSBENCH_BUILT_BACKENDS;
  }
  return installed;
}

// Loads a module, which is never unloaded. Returns why that failed; empty on success.
std::string load(const BuiltBackend& backend, const fs::path& folder) {
  const fs::path module = folder / ("stressbench-" + std::string(backend.name) + ".so");
  std::error_code unknown;
  if (!fs::exists(module, unknown)) {
    return module.string() + " does not exist; the directory lib/stressbench must be next to the program's bin";
  }
  if (::dlopen(module.c_str(), RTLD_NOW | RTLD_LOCAL) != nullptr) return {};
  const char* why = ::dlerror();  // names the missing file
  return std::string(why == nullptr ? module.c_str() : why) + "; install " + std::string(backend.packages);
}

std::vector<OptionalBackend> load_all() {
  const fs::path folder = folder_of_modules();
  std::vector<OptionalBackend> loaded;
  for (const BuiltBackend& backend : optional_backends) {
    loaded.push_back(
        {std::string(backend.name), backend.missing.empty() ? load(backend, folder) : std::string(backend.missing)});
  }
  return loaded;
}

}  // namespace

const std::vector<OptionalBackend>& load_backends() {
  static const std::vector<OptionalBackend> loaded = load_all();
  return loaded;
}

}  // namespace stressbench::io
