#include "settings.hpp"

#include <cstdlib>
#include <cstring>

namespace stressbench::trace::settings {
namespace {

const char* variable(const char* name, const char* otherwise) noexcept {
  const char* value = std::getenv(name);
  return value != nullptr && *value != 0 ? value : otherwise;
}

}  // namespace

const char* output() noexcept { return variable("STRESSBENCH_TRACE_OUTPUT", nullptr); }
Mode mode() noexcept {
  return std::strcmp(variable("STRESSBENCH_TRACE_MODE", "profile"), "capture") == 0 ? Mode::capture : Mode::profile;
}
bool with_names() noexcept { return std::strcmp(variable("STRESSBENCH_TRACE_NAMES", "0"), "1") == 0; }
const char* window() noexcept { return variable("STRESSBENCH_TRACE_WINDOW", nullptr); }
bool with_gap_times() noexcept { return std::strcmp(variable("STRESSBENCH_TRACE_GAP_TIMES", "0"), "1") == 0; }
bool gaps_are_cpu_time() noexcept { return std::strcmp(variable("STRESSBENCH_TRACE_CPU_TIME", "0"), "1") == 0; }
bool with_working_set() noexcept { return std::strcmp(variable("STRESSBENCH_TRACE_WORKING_SET", "0"), "1") == 0; }
bool begins_paused() noexcept { return std::strcmp(variable("STRESSBENCH_TRACE_PAUSED", "0"), "1") == 0; }
bool traces_once() noexcept { return std::strcmp(variable("STRESSBENCH_TRACE_ONCE", "0"), "1") == 0; }
const char* id() noexcept { return variable("STRESSBENCH_TRACE_ID", "0"); }
const char* pool_folder() noexcept { return variable("STRESSBENCH_TRACE_POOL", "/dev/shm"); }

}  // namespace stressbench::trace::settings
