#include "suites/b_eff_io/io_protocol.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/enum_names.hpp"

namespace stressbench::beff {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace

std::string as_json_line(const IoHeader& header) {
  Json partitions = Json::array();
  for (const IoHeader::Partition& partition : header.partitions)
    partitions.push_back({{"name", partition.name}, {"ranks", partition.ranks}, {"nodes", partition.nodes}});
  const Json line{{"type", "b_eff_io"},
                  {"version", 2},
                  {"round", header.round},
                  {"ranks", header.ranks},
                  {"scheduled_s", header.scheduled_s},
                  {"release", header.release},
                  {"shared_pointers", header.shared_pointers},
                  {"random", header.random},
                  {"nodes", header.nodes},
                  {"node_memory_bytes", or_null(header.node_memory_bytes)},
                  {"mpart_bytes", header.mpart_bytes},
                  {"limit_bytes", or_null(header.limit_bytes)},
                  {"partitions", partitions},
                  {"types", header.types},
                  {"hints", header.hints},
                  {"pattern_hints", header.pattern_hints}};
  return line.dump() + '\n';
}

std::string as_json_line(int partition, IoAccess access, const IoPattern& pattern, const IoResult& measured) {
  return fmt::format(
      R"({{"type":"pattern","partition":{},"access":"{}","pattern_type":{},"number":{},"chunk_bytes":{},)"
      R"("memory_chunk_bytes":{},"units":{},"calls":{},"bytes":{},"time_s":{},"exhausted":{}}})"
      "\n",
      partition, name_of(access), index_of(pattern.type), pattern.number, pattern.chunk_bytes, pattern.memory_bytes,
      pattern.units, measured.calls, measured.bytes, measured.time_s, measured.exhausted);
}

std::string file_as_json_line(int partition, IoAccess access, IoType type, const IoResult& measured) {
  return fmt::format(R"({{"type":"file","partition":{},"access":"{}","pattern_type":{},"bytes":{},"time_s":{}}})"
                     "\n",
                     partition, name_of(access), index_of(type), measured.bytes, measured.time_s);
}

std::string end_as_json_line(std::optional<double> b_eff_io_bytes_per_s, double elapsed_s) {
  return fmt::format(R"({{"type":"end","b_eff_io_bytes_per_s":{},"elapsed_s":{}}})"
                     "\n",
                     b_eff_io_bytes_per_s ? fmt::format("{}", *b_eff_io_bytes_per_s) : "null", elapsed_s);
}

}  // namespace stressbench::beff
