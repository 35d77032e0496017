#include "output/motif_page.hpp"

#include <fmt/format.h>

#include "output/terminal.hpp"

namespace stressbench::output {
namespace {

std::string spell_option(const Parameter& parameter) {
  std::string text = parameter.short_name() == '\0' ? "    " : fmt::format("-{}, ", parameter.short_name());
  text += "--" + parameter.name();
  if (!parameter.is_flag()) text += " <" + parameter.unit() + ">";
  return text;
}

}  // namespace

std::string motif_page(const CatalogueEntry& entry, const Motif& motif) {
  std::string text = fmt::format("{}: {}\n", entry.name, entry.summary);
  text += fmt::format("family: {}\n", name_of(entry.family));
  if (!entry.source.empty()) text += fmt::format("source: {}\n", entry.source);
  text += "\noptions:\n";
  for (const Parameter* parameter : motif.parameters()) {
    text += fmt::format("  {:<32}{}", spell_option(*parameter), parameter->help());
    if (!parameter->is_flag()) text += fmt::format(" [{}]", parameter->default_text());
    if (!parameter->rule().empty()) text += fmt::format("; {}", parameter->rule());
    text += '\n';
  }
  text += fmt::format("\nmeasures: {}\n", motif.quantity());
  for (const Metric* metric : motif.metrics()) text += fmt::format("  {:<32}{}\n", metric->name(), metric->help());
  return text;
}

Json motif_json(const CatalogueEntry& entry, const Motif& motif) {
  Json options = Json::array();
  for (const Parameter* parameter : motif.parameters()) {
    options.push_back(
        {{"name", parameter->name()},
         {"short", parameter->short_name() == '\0' ? Json(nullptr) : Json(std::string(1, parameter->short_name()))},
         {"takes", parameter->unit()},
         {"default", parameter->default_text()},
         {"accepted", parameter->rule().empty() ? Json(nullptr) : Json(parameter->rule())},
         {"help", parameter->help()}});
  }
  Json metrics = Json::array();
  for (const Metric* metric : motif.metrics()) {
    metrics.push_back({{"name", metric->name()},
                       {"better", metric->better() == Better::lower ? "lower" : "higher"},
                       {"help", metric->help()}});
  }
  return {{"name", entry.name},     {"family", name_of(entry.family)}, {"summary", entry.summary},
          {"source", entry.source}, {"quantity", motif.quantity()},    {"options", options},
          {"metrics", metrics}};
}

std::string spell(const Traffic& traffic) {
  std::vector<std::string> parts;
  if (traffic.messages > 0) {
    parts.push_back(fmt::format("{} messages, {} bytes", traffic.messages, traffic.message_bytes));
  }
  if (traffic.collectives > 0) {
    parts.push_back(fmt::format("{} collective{}, {} bytes passed", traffic.collectives,
                                traffic.collectives == 1 ? "" : "s", traffic.collective_bytes));
  }
  if (traffic.file_bytes > 0) parts.push_back(fmt::format("{} bytes to or from files", traffic.file_bytes));
  if (traffic.compute_s > 0) parts.push_back(fmt::format("{} computation per rank", spell_time(traffic.compute_s)));
  return parts.empty() ? "nothing" : fmt::format("{}", fmt::join(parts, "; "));
}

Json to_json(const Traffic& traffic) {
  return {{"messages", traffic.messages},       {"message_bytes", traffic.message_bytes},
          {"collectives", traffic.collectives}, {"collective_bytes", traffic.collective_bytes},
          {"file_bytes", traffic.file_bytes},   {"compute_s", traffic.compute_s}};
}

}  // namespace stressbench::output
