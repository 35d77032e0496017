// The program's commands, one file per command. A command parses its own options and returns an exit status.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "mpi/environment.hpp"

namespace stressbench::commands {

// Starts MPI and returns the group of all launched ranks; only main.cpp knows its communicator. Called at most once.
using Start = std::function<const mpi::Group&(mpi::Threads)>;

// Data shared by all commands.
struct Context {
  Start start_mpi;
  std::vector<std::string> arguments;     // of the program, for the run file
  std::function<int()> selected_command;  // set by the command that was selected on the command line
};

// Each function adds one command to the program.
void add_run(CLI::App& program, Context& context);
void add_motif(CLI::App& program, Context& context);
void add_list(CLI::App& program, Context& context);
void add_describe(CLI::App& program, Context& context);
void add_check(CLI::App& program, Context& context);
void add_telemetry(CLI::App& program, Context& context);
void add_calls(CLI::App& program, Context& context);
void add_ranks(CLI::App& program, Context& context);

// Adds the option that allows several threads of a rank to call MPI at the same time.
void add_threads_option(CLI::App& command, mpi::Threads& threads);

// Runs the whole program: parses the arguments, runs the selected command, and prints mistakes and faults to stderr.
// Returns the exit status.
int run_program(int argc, char** argv, const Start& start);

// The messages about std::bad_alloc and std::length_error, which end the program with status 3.
inline constexpr const char* out_of_memory = "out of memory";
inline constexpr const char* list_too_long = "out of memory: a list would be longer than any memory";

// Whether this process prints messages: rank 0, or the only process.
bool prints_messages() noexcept;

// Collective. Runs `work` on rank 0 only. Returns 0 on every rank, or the exit status of the mistake or fault that rank
// 0 printed.
int on_root(const mpi::Group& world, const std::function<void()>& work);

// Collective. Copies the text of rank 0 to every rank.
void broadcast(const mpi::Group& world, std::string& text);

}  // namespace stressbench::commands
