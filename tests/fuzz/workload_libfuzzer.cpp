// libFuzzer target: clang with -fsanitize=fuzzer (cmake -DSTRESSBENCH_LIBFUZZER=ON).
//   workload_libfuzzer -max_total_time=60 -dict=tests/fuzz/workload.dict CORPUS workloads
#include <cstddef>
#include <cstdint>

#include "workload_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  stressbench::workload::try_workload(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
