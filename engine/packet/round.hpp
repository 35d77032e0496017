// A round: jobs whose ranks repeat their schedules on the network until every measured job has done its repetitions.
#pragma once

#include <cstdint>
#include <deque>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "packet/channel.hpp"
#include "packet/goal.hpp"
#include "packet/network.hpp"

namespace stressbench::packet {

// once: a job stops after its repetitions. sustain: it goes on until all others are done. background: it repeats from
// the start until all others are done.
enum class Ending { once, sustain, background };

struct JobPlan {
  std::string name;
  std::vector<RankSchedule> schedules;
  std::vector<int> hosts;  // of each rank
  std::int64_t warmup = 0;
  std::int64_t measured = 0;
  std::int64_t parts = 1;  // repetitions of the schedule that are one of the engine's
  Ending ending = Ending::once;
  std::int64_t start_ns = 0;  // after the start of the round
};

// Reads the `job` lines of a file. Throws UserMistake with the line.
std::vector<JobPlan> read_round(const std::string& path, const Network& network);

class Round {
 public:
  // `output`: gets a line of JSON for each repetition of each rank.
  Round(Network& network, std::vector<JobPlan> jobs, std::ofstream& output);
  ~Round();
  Round(const Round&) = delete;
  Round& operator=(const Round&) = delete;

  // Simulates the round and returns its duration in ns. Throws MachineFault if ranks wait for what never happens.
  std::int64_t run();

 private:
  class Rank;
  struct Job;
  struct Message;

  void create_connections();
  void connect(const Rank& rank, const Rank& other);
  void listen(int host);
  void start_when_connected();
  void repetition_finished(Job& job);
  bool is_done() const;
  Channel& channel(const Rank& from, const Rank& to);
  void require_done() const;

  Network& network_;
  std::ofstream& output_;
  std::vector<std::unique_ptr<Job>> jobs_;
  std::map<std::pair<int, int>, Channel*> channels_;  // between ranks of the launch
  std::vector<std::unique_ptr<Connection>> connections_;
  std::vector<std::unique_ptr<LocalChannel>> local_channels_;
  std::map<std::pair<std::uint32_t, std::uint16_t>, Connection*> opening_;  // by address and port of the client
  std::vector<ns3::Ptr<ns3::Socket>> listeners_;
  std::set<int> listening_;            // hosts
  std::map<int, int> connections_of_;  // that a host opened
  std::int64_t started_ns_ = 0;
  std::int64_t ended_ns_ = -1;
};

}  // namespace stressbench::packet
