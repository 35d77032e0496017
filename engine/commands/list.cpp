// Command list: prints the available motifs.

#include <memory>

#include "commands/command.hpp"
#include "core/console.hpp"
#include "motifs/motif.hpp"
#include "output/json.hpp"

namespace stressbench::commands {
namespace {

int list(bool json) {
  output::Json all = output::Json::array();
  for (const CatalogueEntry& entry : MotifCatalogue::instance().entries()) {
    if (json) {
      all.push_back({{"name", entry.name},
                     {"family", name_of(entry.family)},
                     {"summary", entry.summary},
                     {"source", entry.source}});
    } else {
      console::print(stdout, "{:<24}{:<18}{}\n", entry.name, name_of(entry.family), entry.summary);
    }
  }
  if (json) console::print(stdout, "{}\n", all.dump(2));
  return exit_success;
}

}  // namespace

void add_list(CLI::App& program, Context& context) {
  CLI::App* command = program.add_subcommand("list", "Lists the motifs with family and summary. Needs no MPI launch.");
  const auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "print JSON");
  command->callback([&context, json] { context.selected_command = [json] { return list(*json); }; });
}

}  // namespace stressbench::commands
