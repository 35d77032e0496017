// From the engine's values to JSON: each record in one place.
#pragma once

#include <nlohmann/json.hpp>

#include "schedule/records.hpp"

namespace stressbench::output {

using Json = nlohmann::ordered_json;

Json to_json(const schedule::Header& header);
Json to_json(const schedule::JobRecord& job, int index);
Json to_json(const schedule::Sample& sample, const schedule::Machine& machine);
Json to_json(const schedule::HistogramRecord& histogram);
Json to_json(const schedule::Event& event);
Json to_json(const schedule::RoundRecord& record);
Json to_json(const schedule::End& end);

const char* text_of(schedule::EndReason reason) noexcept;

}  // namespace stressbench::output
