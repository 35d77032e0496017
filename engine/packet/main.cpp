// stressbench-ns3: simulates one round of jobs packet by packet (docs/how-to/ns3.md).
#include <fmt/format.h>
#include <ns3/simulator.h>
#include <ns3/version.h>
#include <sys/prctl.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/console.hpp"
#include "core/error.hpp"
#include "packet/network.hpp"
#include "packet/round.hpp"

namespace stressbench::packet {
namespace {

void write_end(std::ofstream& output, const Network& network, std::int64_t duration_ns) {
  nlohmann::ordered_json links = nlohmann::ordered_json::array();
  for (const Network::Direction& direction : network.directions()) {
    const PortCounters& counters = direction.port->counters();
    links.push_back({{"link", direction.link},
                     {"source", direction.source},
                     {"target", direction.target},
                     {"rate_bits_per_s", direction.rate_bits_per_s},
                     {"bytes", counters.bytes},
                     {"frames", counters.frames},
                     {"drops", counters.drops},
                     {"marks", counters.marks},
                     {"pauses", counters.pauses},
                     {"longest_queue_bytes", counters.longest_queue_bytes}});
  }
  const nlohmann::ordered_json end{
      {"type", "end"}, {"duration_ns", duration_ns}, {"events", ns3::Simulator::GetEventCount()}, {"links", links}};
  output << end.dump() << '\n';
}

void simulate(const std::string& network_file, const std::string& round_file, const std::string& output_file) {
  Network network{network_file};
  std::vector<JobPlan> jobs = read_round(round_file, network);
  std::ofstream output(output_file);
  if (!output) throw UserMistake("--output: {}: {}", output_file, std::strerror(errno));
  Round round{network, std::move(jobs), output};
  const std::int64_t duration_ns = round.run();
  write_end(output, network, duration_ns);
  output.close();
  if (!output) throw MachineFault("{}: {}", output_file, std::strerror(errno));
}

int run(int argc, char** argv) {
  CLI::App program{
      "Simulates a round of jobs packet by packet with ns-3: schedules in GOAL format over TCP on a network with\n"
      "queues of finite length. `stressbench run FILE --on ns3:LAB` writes its files."};
  std::string network_file;
  std::string round_file;
  std::string output_file;
  program.set_version_flag("--version", fmt::format("ns-3 {}.{}", ns3::Version::Major(), ns3::Version::Minor()));
  program.add_option("NETWORK", network_file, "file of hosts, switches, links and routes")->required();
  program.add_option("ROUND", round_file, "file of jobs: GOAL files, repetitions, hosts")->required();
  program.add_option("--output", output_file, "file to write: a line of JSON for each repetition of each rank")
      ->required();
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return program.exit(error) == 0 ? exit_success : exit_user_mistake;
  }
  try {
    simulate(network_file, round_file, output_file);
  } catch (const UserMistake& mistake) {
    console::print(stderr, "stressbench-ns3: {}\n", mistake.what());
    return exit_user_mistake;
  } catch (const std::exception& fault) {
    console::print(stderr, "stressbench-ns3: {}\n", fault.what());
    return exit_machine_fault;
  }
  return exit_success;
}

}  // namespace
}  // namespace stressbench::packet

int main(int argc, char** argv) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // with the program that started it
  return stressbench::packet::run(argc, argv);
}
