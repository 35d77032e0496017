// The program. The only place that names MPI_COMM_WORLD: everything else works on the group it was handed.
#include <optional>

#include "commands/command.hpp"
#include "core/console.hpp"

int main(int argc, char** argv) {
  using namespace stressbench;
  console::open_closed_streams();
  std::optional<mpi::Environment> environment;
  std::optional<mpi::Group> world;
  const auto start = [&](mpi::Threads threads) -> const mpi::Group& {
    environment.emplace(argc, argv, threads);
    world.emplace(mpi::Group::view(MPI_COMM_WORLD).duplicate());
    return *world;
  };
  const int status = commands::run_program(argc, argv, start);
  world.reset();
  environment.reset();
  return status;
}
