// Command ranks: describes the ranks of a launch, and finds out what carries messages between them.

#include <fmt/format.h>

#include <memory>

#include "commands/command.hpp"
#include "core/clock.hpp"
#include "core/console.hpp"
#include "core/enum_names.hpp"
#include "output/json.hpp"
#include "output/version.hpp"
#include "scheduler/describe.hpp"
#include "scheduler/launched_ranks.hpp"

namespace stressbench::commands {
namespace {

using output::Json;

template <class T>
Json json_of(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json json_of(const scheduler::LaunchedRank& rank, int number) {
  return {{"rank", number},
          {"host", rank.host},
          {"processors", rank.processors},
          {"usable_processors", rank.usable_processors},
          {"yields", json_of(rank.yields)}};
}

Json json_of(const std::optional<scheduler::MessageCarrier>& found) {
  if (!found) return nullptr;
  return {{"carrier", name_of(found->carrier)},
          {"device", found->device.empty() ? Json(nullptr) : Json(found->device)}};
}

// Collective. The texts of all ranks, on rank 0.
std::vector<std::string> gather(const mpi::Group& world, const std::string& mine) {
  const bool is_root = world.rank() == 0;
  const auto ranks = is_root ? static_cast<std::size_t>(world.size()) : 0;
  const int size = static_cast<int>(mine.size());
  std::vector<int> sizes(ranks);
  mpi::check(MPI_Gather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, 0, world.handle()), "MPI_Gather");
  std::vector<int> offsets(ranks);
  int total = 0;
  for (std::size_t i = 0; i < ranks; ++i) {
    offsets[i] = total;
    total += sizes[i];
  }
  std::string all(static_cast<std::size_t>(total), '\0');
  mpi::check(
      MPI_Gatherv(mine.data(), size, MPI_CHAR, all.data(), sizes.data(), offsets.data(), MPI_CHAR, 0, world.handle()),
      "MPI_Gatherv");
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < ranks; ++i)
    texts.push_back(all.substr(static_cast<std::size_t>(offsets[i]), static_cast<std::size_t>(sizes[i])));
  return texts;
}

// Collective. The JSON values of all ranks, on rank 0.
Json gather_json(const mpi::Group& world, const Json& mine) {
  Json all = Json::array();
  for (const std::string& text : gather(world, mine.dump(-1, ' ', true, Json::error_handler_t::replace)))
    all.push_back(Json::parse(text));
  return all;
}

void print_line(const Json& line) {
  console::print(stdout, "{}\n", line.dump(-1, ' ', true, Json::error_handler_t::replace));
  std::fflush(stdout);
}

void print_launch(const mpi::Group& world) {
  const Json ranks = gather_json(world, json_of(scheduler::this_rank(), world.rank()));
  if (world.rank() != 0) return;
  const scheduler::LibraryRecord library = scheduler::describe_library();
  const ClockQuality clock = measure(MonotonicClock{});
  print_line({{"type", "launch"},
              {"version", output::version},
              {"library", library.library},
              {"clock",
               {{"source", monotonic_source}, {"resolution_s", clock.resolution_s}, {"overhead_s", clock.overhead_s}}},
              {"ranks", ranks}});
}

void print_carriers(const mpi::Group& world) {
  const scheduler::Carriers found = scheduler::find_carriers(world);
  const Json ranks = gather_json(world, {{"rank", world.rank()},
                                         {"inside_host", json_of(found.inside_host)},
                                         {"between_hosts", json_of(found.between_hosts)}});
  if (world.rank() == 0) print_line({{"type", "messages"}, {"ranks", ranks}});
}

void print_directories(const mpi::Group& world, const std::vector<std::string>& paths) {
  Json directories = Json::array();
  for (const scheduler::DirectoryCheck& one : scheduler::check_directories(world, paths))
    directories.push_back({{"path", one.path}, {"fault", json_of(one.fault)}, {"hosts_without", one.hosts_without}});
  if (world.rank() == 0) print_line({{"type", "directories"}, {"directories", directories}});
}

int describe_ranks(const std::vector<std::string>& directories, const Context& context) {
  const mpi::Group& world = context.start_mpi(mpi::Threads::single);
  print_launch(world);
  print_carriers(world);
  print_directories(world, directories);
  return exit_success;
}

}  // namespace

void add_ranks(CLI::App& program, Context& context) {
  CLI::App* command = program.add_subcommand(
      "ranks",
      "Describes the ranks of a launch, and finds out what carries messages between them; `stressbench doctor` starts "
      "it. Prints three lines of JSON: hosts, binding and clock; the carrier of the messages of each rank; "
      "directories. Start it with mpirun or srun.\n"
      "  mpirun -n 4 stressbench-mpi ranks");
  const auto directories = std::make_shared<std::vector<std::string>>();
  command
      ->add_option("--directory", *directories,
                   "directory of which to test whether all hosts share it; can be repeated")
      ->allow_extra_args(false);
  command->callback([&context, directories] {
    context.selected_command = [&context, directories] { return describe_ranks(*directories, context); };
  });
}

}  // namespace stressbench::commands
