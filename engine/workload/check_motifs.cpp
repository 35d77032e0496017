#include <limits>
#include <map>

#include "core/suggest.hpp"
#include "workload/checks.hpp"
#include "workload/limits.hpp"

namespace stressbench::workload {
namespace {

std::string names_of(const Parameter& parameter) {
  return (parameter.short_name() == '\0' ? "" : std::string{'-', parameter.short_name(), '/'}) + "--" +
         parameter.name();
}

std::string takes(const Parameter& parameter) {
  return "accepted: " + names_of(parameter) + " takes " + parameter.unit() +
         (parameter.rule().empty() ? "" : ", " + parameter.rule()) + " (" + parameter.help() + ")";
}

std::string option_suggestion(const Option& option, const Pattern& pattern) {
  std::vector<std::string> longs;
  std::string all;
  for (const Parameter* parameter : pattern.parameters()) {
    longs.push_back("--" + parameter->name());
    all += (all.empty() ? "accepted: " : ", ") + names_of(*parameter);
  }
  const bool is_long = option.dashed().size() > 2;
  const auto near =
      is_long ? nearest("--" + option.name.substr(option.name.find_first_not_of('-')), longs) : std::nullopt;
  return near ? "did you mean '" + *near + "'?" : all;
}

// Checks one motif: its options, then the number of ranks.
class CallCheck {
 public:
  CallCheck(MotifCall& call, Pattern& pattern, Diagnostics& diagnostics)
      : call_(call), pattern_(pattern), diagnostics_(diagnostics), sound_(call.complete) {}

  // `passes` of the loops around the motif.
  void options(std::int64_t passes) {
    for (Option& option : call_.options) check_option(option);
    if (sound_ && pattern_.iterations() > limits::max_executions / passes) {
      report(position_of("iterations"),
             "--iterations: " + std::to_string(pattern_.iterations()) +
                 (passes > 1 ? " in each of " + std::to_string(passes) + " passes of the loops around this" : "") +
                 " are more than 10^15");
    }
    call_.complete = sound_;
  }

  void ranks(std::int64_t ranks) {
    if (!sound_) return;
    try {
      pattern_.check(static_cast<int>(ranks));
    } catch (const ParameterMistake& mistake) {
      report(position_of(mistake.parameter()), mistake.what());
    } catch (const UserMistake& mistake) {
      report(call_.where, mistake.what());
    }
  }

 private:
  void report(const Position& where, std::string_view message, std::string_view hint = {}) {
    sound_ = false;
    diagnostics_.add(where, message, hint);
  }

  // Of the value of a parameter; of the motif if it has the default.
  const Position& position_of(const std::string& parameter) const {
    const auto given = given_.find(pattern_.find("--" + parameter));
    return given == given_.end() ? call_.where : given->second->value_where;
  }

  void check_option(Option& option) {
    const std::string spelled = option.dashed();
    const Parameter* parameter = pattern_.find(spelled);
    if (parameter == nullptr) {
      return report(option.where, call_.name + " has no option " + in_quotes(spelled),
                    option_suggestion(option, pattern_));
    }
    const auto [given, is_new] = given_.try_emplace(parameter, &option);
    if (!is_new) {
      return report(option.where, names_of(*parameter) + " is given twice",
                    "first in line " + std::to_string(given->second->where.line));
    }
    if (!option.value && !parameter->is_flag()) {
      return report(option.where, in_quotes(spelled) + " needs a value", takes(*parameter));
    }
    option.name = parameter->name();
    try {
      pattern_.find("--" + option.name)->parse(option.value.value_or(""));
    } catch (const UserMistake& mistake) {
      report(option.value_where, mistake.what(), takes(*parameter));
    }
  }

  MotifCall& call_;
  Pattern& pattern_;
  Diagnostics& diagnostics_;
  bool sound_;
  std::map<const Parameter*, const Option*> given_;
};

void check_call(MotifCall& call, std::int64_t passes, std::optional<std::int64_t> ranks, const Catalogue& catalogue,
                Diagnostics& diagnostics) {
  const auto pattern = catalogue.make_pattern(call.name);
  if (pattern == nullptr) {
    call.complete = false;
    if (const std::string why = catalogue.unavailable_reason(call.name); !why.empty()) {
      return diagnostics.add(call.where, in_quotes(call.name) + " is not in this build: " + why);
    }
    std::vector<std::string> names;
    for (const CatalogueEntry& entry : catalogue.entries()) names.push_back(entry.name);
    return diagnostics.add(call.where, in_quotes(call.name) + " is not a motif", suggestion(call.name, names));
  }
  call.name = lower_case(call.name);
  CallCheck check(call, *pattern, diagnostics);
  check.options(passes);
  if (ranks && *ranks <= std::numeric_limits<int>::max()) check.ranks(*ranks);
}

void check_steps(std::vector<Step>& steps, std::int64_t passes, std::optional<std::int64_t> ranks,
                 const Catalogue& catalogue, Diagnostics& diagnostics) {
  for (Step& step : steps) {
    if (auto* call = std::get_if<MotifCall>(&step)) {
      check_call(*call, passes, ranks, catalogue, diagnostics);
    } else {
      auto& loop = std::get<Loop>(step);
      check_steps(loop.steps, passes * loop.count, ranks, catalogue, diagnostics);
    }
  }
}

}  // namespace

void check_motifs(Job& job, std::optional<std::int64_t> ranks, const Catalogue& catalogue, Diagnostics& diagnostics) {
  check_steps(job.steps, 1, ranks, catalogue, diagnostics);
}

}  // namespace stressbench::workload
