// Entry point. The only file that uses MPI_COMM_WORLD: all other code works on the group that it is passed.
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
