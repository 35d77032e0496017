// libFuzzer target: clang with -fsanitize=fuzzer (cmake -DSTRESSBENCH_LIBFUZZER=ON).
//   telemetry_libfuzzer -max_total_time=60 -dict=tests/fuzz/telemetry.dict CORPUS tests/corpus/counters
#include <cstddef>
#include <cstdint>

#include "telemetry_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  stressbench::telemetry::try_telemetry(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
