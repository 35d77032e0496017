// Command telemetry: lists the sources of telemetry, and what they count on this host.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <set>

#include "commands/command.hpp"
#include "core/console.hpp"
#include "output/json.hpp"
#include "telemetry/bounded_reader.hpp"

namespace stressbench::commands {
namespace {

constexpr std::chrono::seconds reading_limit{1};

// Why a source has no counters here; empty if it has some.
std::string absence_of(const telemetry::SourceEntry& entry, const telemetry::BoundedReader& reader,
                       const std::optional<telemetry::Reading>& reading) {
  if (reader.fault()) return *reader.fault();
  return reading->empty() ? "none in " + entry.place : "";
}

output::Json counters_of(const telemetry::Reading& reading) {
  output::Json counters = output::Json::array();
  for (const telemetry::Counter& counter : reading) {
    counters.push_back({{"counter", counter.name},
                        {"device", counter.device.empty() ? output::Json(nullptr) : output::Json(counter.device)},
                        {"unit", name_of(counter.unit)},
                        {"total", counter.total}});
  }
  return counters;
}

std::string brief(const telemetry::Reading& reading) {
  std::set<std::string> devices;
  std::set<std::string> names;
  for (const telemetry::Counter& counter : reading) {
    if (!counter.device.empty()) devices.insert(counter.device);
    names.insert(counter.name);
  }
  const std::string of = devices.empty() ? "" : fmt::format(" of {}", fmt::join(devices, ", "));
  return fmt::format("{} counters{}", names.size(), of);
}

int list_sources(bool json) {
  const std::vector<telemetry::SourceEntry> entries = telemetry::source_entries();
  std::vector<telemetry::BoundedReader> readers;
  for (const telemetry::SourceEntry& entry : entries)
    readers.emplace_back(entry.name, entry.make(telemetry::kernel_files()));
  const auto readings = telemetry::read_all(readers, reading_limit);
  output::Json all = output::Json::array();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::string absent = absence_of(entries[i], readers[i], readings[i]);
    if (json) {
      all.push_back({{"name", entries[i].name},
                     {"summary", entries[i].summary},
                     {"place", entries[i].place},
                     {"absent", absent.empty() ? output::Json(nullptr) : output::Json(absent)},
                     {"counters", counters_of(readings[i].value_or(telemetry::Reading{}))}});
    } else {
      console::print(stdout, "{:<12}{:<62}{}\n", entries[i].name,
                     absent.empty() ? brief(*readings[i]) : "absent: " + absent, entries[i].summary);
    }
  }
  if (json) console::print(stdout, "{}\n", all.dump(2, ' ', false, output::Json::error_handler_t::replace));
  return exit_success;
}

}  // namespace

void add_telemetry(CLI::App& program, Context& context) {
  CLI::App* command = program.add_subcommand(
      "telemetry", "Lists the sources of `run --telemetry` and their counters on this host. Needs no MPI launch.");
  const auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "print JSON, with the counters and their totals");
  command->callback([&context, json] { context.selected_command = [json] { return list_sources(*json); }; });
}

}  // namespace stressbench::commands
