// Converts the engine's records to JSON, and back where they are read. The keys of each record are in json.cpp only.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "scheduler/records.hpp"

namespace stressbench::output {

using Json = nlohmann::ordered_json;

// The key of a record's type, and the types.
inline constexpr const char* type_key = "type";
namespace record_type {
inline constexpr const char* header = "header";
inline constexpr const char* sample = "sample";
inline constexpr const char* histogram = "histogram";
inline constexpr const char* event = "event";
inline constexpr const char* round = "round";
inline constexpr const char* fault = "fault";
inline constexpr const char* end = "end";
}  // namespace record_type

Json to_json(const scheduler::Header& header);
Json to_json(const scheduler::JobRecord& job, int index);
Json to_json(const scheduler::Sample& sample, const scheduler::Machine& machine);
Json to_json(const scheduler::HistogramRecord& histogram);
Json to_json(const scheduler::Event& event);
Json to_json(const scheduler::Fault& fault);
// Names of hosts are those of `machine`.
Json to_json(const scheduler::RoundRecord& record, const scheduler::Machine& machine);
Json to_json(const scheduler::End& end, const scheduler::Machine& machine);

// The inverse for the fields that --continue needs; all others keep their defaults. These functions throw
// Json::exception if a field is missing or has another type, and UserMistake if a value is invalid.
// Sets `ranks` and `ranks_per_node` of `machine`, to which the header then points.
scheduler::Header header_from_json(const Json& record, scheduler::Machine& machine);
// `time.slowest_rank` is -1 if no rank measured the sample and 0 otherwise.
scheduler::Sample sample_from_json(const Json& record);
scheduler::RoundRecord round_from_json(const Json& record);
scheduler::End end_from_json(const Json& record);
// The counters of links, as in the record of a round.
scheduler::LinkCounts links_from_json(const Json& links);

// The first characters of every run file.
std::string beginning_of_header();
// The member of the header that holds the run's id, as it stands in the file.
std::string run_id_member(const std::string& run_id);

}  // namespace stressbench::output
