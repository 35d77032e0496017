// A source that is a command of the user: it prints its counters as a JSON object and ends.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "telemetry/source.hpp"

namespace stressbench::telemetry {

// Counters of {"joins": 3, "cooler0": {"pump_bytes": 17}}: of the whole host, or of a device. The end of a name gives
// the unit: _bytes, _frames, _ns or _ticks; all others count events. Throws WrongValue.
Reading counters_from_json(std::string_view text);

class Command final : public Source {
 public:
  // Passed to /bin/sh. A command that takes longer than `limit` is killed together with the processes that it started,
  // also if this process is killed meanwhile.
  Command(std::string text, std::chrono::nanoseconds limit) : text_(std::move(text)), limit_(limit) {}

  Reading read() override;

 private:
  std::string text_;
  std::chrono::nanoseconds limit_;
};

}  // namespace stressbench::telemetry
