#include "workload/print.hpp"

#include "workload/node_list.hpp"
#include "workload/statement.hpp"

namespace stressbench::workload {
namespace {

void print_steps(const std::vector<Step>& steps, const std::string& indent, std::string& text) {
  for (const Step& step : steps) {
    if (const auto* call = std::get_if<MotifCall>(&step)) {
      text += indent + "[MOTIF] " + print(*call) + "\n";
      continue;
    }
    const auto& loop = std::get<Loop>(step);
    text += indent + "[LOOP] " + std::to_string(loop.count) + "\n";
    print_steps(loop.steps, indent + "  ", text);
    text += indent + "[END]\n";
  }
}

void print_job(const Job& job, std::string& text) {
  const auto line = [&text](const char* key, const std::string& value) {
    text += std::string("[") + key + "] " + value + "\n";
  };
  line("JOB_NAME", spell_word(job.name));
  if (job.nodes) line("NID_LIST", compress(*job.nodes));
  if (job.node_count) line("NODES", std::to_string(*job.node_count));
  if (job.ranks_per_node) line("RANKS_PER_NODE", std::to_string(*job.ranks_per_node));
  if (job.shared) line("SHARED", "yes");
  if (job.role != Role::measured) line("ROLE", std::string(name_of(job.role)));
  if (job.repeat) line("REPEAT", std::to_string(*job.repeat));
  if (job.min_time) line("MIN_TIME", units::spell(*job.min_time));
  if (job.load) line("LOAD", Spelling<double>::write(*job.load));
  if (job.rate) line("RATE", units::spell(*job.rate));
  print_steps(job.steps, "", text);
}

}  // namespace

std::string print(const MotifCall& call) {
  std::string text = spell_word(call.name);
  for (const Option& option : call.options) {
    text += " " + option.dashed();
    if (option.value) text += " " + spell_word(*option.value);
  }
  return text;
}

std::string print(const Workload& workload) {
  std::string text;
  for (const Job& job : workload.jobs) {
    if (!text.empty()) text += "\n";
    print_job(job, text);
  }
  return text;
}

}  // namespace stressbench::workload
