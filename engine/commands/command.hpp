// The program's commands: one file each. A command parses its own options, and says what it did by its exit status.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "mpi/environment.hpp"

namespace stressbench::commands {

// Starts MPI and gives the ranks that were launched. Only main.cpp knows which communicator that is. Called at most
// once.
using Start = std::function<const mpi::Group&(mpi::Threads)>;

// What every command gets.
struct Context {
  Start start;
  std::vector<std::string> arguments;  // of the program, for the record
  std::function<int()> chosen;         // set by the command that the command line names
};

// Each adds its command to the program.
void add_run(CLI::App& program, Context& context);
void add_motif(CLI::App& program, Context& context);
void add_list(CLI::App& program, Context& context);
void add_describe(CLI::App& program, Context& context);
void add_check(CLI::App& program, Context& context);

// The option that lets several threads of a rank call MPI at once.
void add_threads_option(CLI::App& command, mpi::Threads& threads);

// The whole program: parses, runs the chosen command, turns mistakes and faults into messages on stderr. Returns the
// exit status.
int run_program(int argc, char** argv, const Start& start);

// True on the process that prints messages: rank 0, or the only one.
bool prints_messages() noexcept;

// Runs `work` on rank 0 alone and lets every rank know how it ended: 0, or the exit status of the mistake or fault
// whose message rank 0 printed. Collective.
int on_root(const mpi::Group& world, const std::function<void()>& work);

// Rank 0's text on every rank. Collective.
void broadcast(const mpi::Group& world, std::string& text);

}  // namespace stressbench::commands
