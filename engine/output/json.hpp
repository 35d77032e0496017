// Converts the engine's records to JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "scheduler/records.hpp"

namespace stressbench::output {

using Json = nlohmann::ordered_json;

Json to_json(const scheduler::Header& header);
Json to_json(const scheduler::JobRecord& job, int index);
Json to_json(const scheduler::Sample& sample, const scheduler::Machine& machine);
Json to_json(const scheduler::HistogramRecord& histogram);
Json to_json(const scheduler::Event& event);
Json to_json(const scheduler::RoundRecord& record);
Json to_json(const scheduler::Fault& fault);
Json to_json(const scheduler::End& end);

}  // namespace stressbench::output
