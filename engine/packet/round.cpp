#include "packet/round.hpp"

#include <fmt/format.h>
#include <ns3/inet-socket-address.h>
#include <ns3/simulator.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "core/batch.hpp"
#include "core/input_limits.hpp"
#include "core/text_lines.hpp"
#include "packet/tcp_socket.hpp"

namespace stressbench::packet {
namespace {

constexpr std::uint16_t listening_port = 1023;
constexpr int first_client_port = 1024;
constexpr int last_client_port = 65535;
constexpr std::int64_t setup_poll_ns = 100'000;
constexpr std::int64_t setup_limit_ns = 60'000'000'000;
constexpr std::int64_t decision_bytes = 8;
constexpr std::int64_t planned_repetitions = -1;  // the number of a batch: what is planned, before batch 0

std::int64_t now_ns() { return ns3::Simulator::Now().GetNanoSeconds(); }

}  // namespace

// A message that was sent; its receiver learns of it when its first part arrives.
struct Round::Message {
  Rank* sender;
  std::uint32_t send;  // operation of the sender
  std::int64_t bytes;
  std::int64_t tag;
  bool has_arrived = false;
  bool needs_rendezvous = false;
};

// Runs the operations of a rank, as their dependencies and its processor permit.
class Round::Rank {
 public:
  Rank(Round& round, Job& job, int number_in_job, int world_rank, int host_number, const RankSchedule& schedule)
      : number(number_in_job), world(world_rank), host(host_number), round_(round), job_(job), schedule_(schedule) {
    for (std::uint32_t at = 0; at < schedule.size(); ++at) {
      if (schedule[at].is_mark) marks_.push_back(at);
    }
    times_ns_.resize(schedule.size());
  }

  void start();
  // Another batch of so many repetitions follows; tells its children in the tree of the job's ranks.
  void continue_with(std::int64_t repetitions);
  // One more of this rank and its children in the tree has finished this batch; tells its parent when all have.
  void report(std::int64_t batch);
  // Begins the next batch if it is known that there is one, and if nothing else has to be waited for.
  void continue_if_possible();
  std::int64_t finished() const noexcept { return finished_; }
  // The first operation that has begun or could begin, but did not complete; null if there is none.
  const Operation* unfinished() const;

  const int number;
  const int world;
  const int host;

 private:
  using Key = std::pair<int, std::int64_t>;  // partner and tag

  bool begin_next_batch();
  void begin_repetition();
  bool end_repetition();
  void begin(std::uint32_t at);
  void complete(std::uint32_t at);
  void release(const std::vector<std::uint32_t>& operations);
  void proceed();
  template <class Then>
  void occupy(std::int64_t duration_ns, Then then);
  template <class Then>
  void tell(Rank& other, Then then);

  void send(std::uint32_t at);
  void arrive(const std::shared_ptr<Message>& message);
  void match(const std::shared_ptr<Message>& message, std::uint32_t receive);
  void received(std::uint32_t receive);

  Round& round_;
  Job& job_;
  const RankSchedule& schedule_;
  std::vector<std::uint32_t> marks_;
  std::vector<std::uint32_t> dependencies_;
  std::vector<char> is_complete_;
  std::vector<std::int64_t> times_ns_;
  std::deque<std::uint32_t> ready_;
  std::size_t left_ = 0;
  std::int64_t finished_ = 0;
  std::int64_t batch_ = planned_repetitions;
  std::deque<std::int64_t> limits_;              // repetitions after which this and the next batches end
  std::map<std::int64_t, std::size_t> reports_;  // by batch
  std::int64_t batch_began_ns_ = 0;
  std::int64_t began_ns_ = 0;
  std::int64_t processor_free_ns_ = 0;
  bool is_proceeding_ = false;
  bool is_waiting_for_others_ = false;
  bool is_running_ = false;
  std::map<Key, std::deque<std::uint32_t>> posted_;
  std::map<Key, std::deque<std::shared_ptr<Message>>> unexpected_;
};

// `next_is_early`: the root decides on the next batch when it begins this one, and else when all ranks have finished
// it.
struct PlannedBatch : Batch {
  bool next_is_early = false;
};

struct Round::Job {
  JobPlan plan;
  int number = 0;
  std::vector<std::unique_ptr<Rank>> ranks;
  std::int64_t finished = 0;  // repetitions that all ranks have finished
  std::deque<PlannedBatch> batches;
  std::int64_t reported = planned_repetitions - 1;  // the last batch that the root knows to be finished

  std::int64_t planned() const { return plan.warmup + (plan.ending == Ending::background ? 0 : plan.measured); }
  bool is_done() const { return plan.ending == Ending::background || finished >= planned(); }
  PlannedBatch& batch(std::int64_t at) { return batches[static_cast<std::size_t>(at)]; }

  // The root's decision on the next batch, as RepetitionLoop of the engine.
  void decide() {
    PlannedBatch next;
    if (reported >= 0) {
      next.repetitions = batch(reported).next_repetitions();
      next.next_is_early = batch(reported).is_short();
    }
    batches.push_back(next);
    ranks.front()->continue_with(next.repetitions * plan.parts);
  }

  // All ranks have finished a batch.
  void finish(std::int64_t at) {
    reported = at;
    if (at == planned_repetitions || !batch(at).next_is_early) return decide();
    ranks.front()->continue_if_possible();
  }
};

// The ranks of a job form a binomial tree, whose root is rank 0: here the parent and the children of a rank.
struct Tree {
  static std::size_t parent(std::size_t rank) { return rank & (rank - 1); }
  static std::vector<std::size_t> children(std::size_t rank, std::size_t ranks) {
    std::vector<std::size_t> found;
    for (std::size_t bit = 1; (rank & bit) == 0 && rank + bit < ranks; bit *= 2) found.push_back(rank + bit);
    return found;
  }
};

void Round::Rank::start() {
  if (job_.planned() == 0) {  // in the background, without warm-up
    is_waiting_for_others_ = true;
    return report(planned_repetitions);
  }
  limits_.push_back(job_.planned());
  begin_repetition();
  proceed();
}

void Round::Rank::continue_with(std::int64_t repetitions) {
  const auto self = static_cast<std::size_t>(number);
  const std::vector<std::size_t> children = Tree::children(self, job_.ranks.size());
  for (auto child = children.rbegin(); child != children.rend(); ++child) {
    Rank& other = *job_.ranks[*child];
    tell(other, [&other, repetitions] { other.continue_with(repetitions); });
  }
  limits_.push_back((limits_.empty() ? finished_ : limits_.back()) + repetitions);
  continue_if_possible();
}

void Round::Rank::continue_if_possible() {
  if (!is_waiting_for_others_ || is_proceeding_ || !begin_next_batch()) return;
  begin_repetition();
  proceed();
}

// Whether it can begin. The root does not get ahead of the others by more than a batch.
bool Round::Rank::begin_next_batch() {
  is_waiting_for_others_ = limits_.empty() || (number == 0 && job_.reported < batch_ - 1);
  if (is_waiting_for_others_) return false;
  ++batch_;
  batch_began_ns_ = now_ns();
  if (number == 0 && job_.batch(batch_).next_is_early) job_.decide();
  return true;
}

void Round::Rank::report(std::int64_t batch) {
  const auto self = static_cast<std::size_t>(number);
  if (++reports_[batch] <= Tree::children(self, job_.ranks.size()).size()) return;
  reports_.erase(batch);
  if (self == 0) return job_.finish(batch);
  Rank& parent = *job_.ranks[Tree::parent(self)];
  tell(parent, [&parent, batch] { parent.report(batch); });
}

// A short message to another rank of the job, which its MPI library receives.
template <class Then>
void Round::Rank::tell(Rank& other, Then then) {
  const Settings& settings = round_.network_.settings();
  occupy(settings.send_overhead_ns, [this, &other, &settings, then] {
    round_.channel(*this, other).send({settings.header_bytes + decision_bytes, nullptr, [&other, &settings, then] {
                                         other.occupy(settings.receive_overhead_ns, then);
                                       }});
  });
}

void Round::Rank::begin_repetition() {
  began_ns_ = now_ns();
  is_running_ = true;
  dependencies_.resize(schedule_.size());
  is_complete_.assign(schedule_.size(), 0);
  left_ = schedule_.size();
  for (std::uint32_t at = 0; at < schedule_.size(); ++at) {
    dependencies_[at] = schedule_[at].dependencies;
    if (dependencies_[at] == 0) ready_.push_back(at);
  }
}

// Writes the repetition's times; whether the next one begins at once.
bool Round::Rank::end_repetition() {
  is_running_ = false;
  round_.output_ << fmt::format(
      R"({{"type":"repetition","job":{},"repetition":{},"rank":{},"start_ns":{},"end_ns":{},"marks_ns":[)", job_.number,
      finished_, number, began_ns_ - round_.started_ns_, now_ns() - round_.started_ns_);
  const char* separator = "";
  for (const std::uint32_t mark : marks_) {
    round_.output_ << separator << times_ns_[mark] - round_.started_ns_;
    separator = ",";
  }
  round_.output_ << "]}\n";
  ++finished_;
  round_.repetition_finished(job_);
  if (round_.ended_ns_ >= 0) return false;
  if (finished_ < limits_.front()) return true;
  limits_.pop_front();
  if (job_.plan.ending == Ending::once) return false;
  if (batch_ != planned_repetitions) {
    Batch& batch = job_.batch(batch_);
    batch.slowest_s = std::max(batch.slowest_s, static_cast<double>(now_ns() - batch_began_ns_) * 1e-9);
  }
  report(batch_);
  return begin_next_batch();
}

void Round::Rank::proceed() {
  if (is_proceeding_) return;
  is_proceeding_ = true;
  while (true) {
    while (!ready_.empty()) {
      const std::uint32_t at = ready_.front();
      ready_.pop_front();
      begin(at);
    }
    if (left_ > 0 || !is_running_) break;
    if (end_repetition()) begin_repetition();
  }
  is_proceeding_ = false;
}

template <class Then>
void Round::Rank::occupy(std::int64_t duration_ns, Then then) {
  processor_free_ns_ = std::max(processor_free_ns_, now_ns()) + duration_ns;
  if (processor_free_ns_ == now_ns()) return then();
  ns3::Simulator::Schedule(ns3::NanoSeconds(processor_free_ns_ - now_ns()), std::move(then));
}

void Round::Rank::begin(std::uint32_t at) {
  const Operation& operation = schedule_[at];
  release(operation.after_start);
  switch (operation.kind) {
    case Kind::compute:
      if (operation.amount == 0) return complete(at);
      return occupy(operation.amount, [this, at] { complete(at); });
    case Kind::send:
      return occupy(round_.network_.settings().send_overhead_ns, [this, at] { send(at); });
    case Kind::receive:
      break;
  }
  const Key key{operation.partner, operation.tag};
  if (auto& waiting = unexpected_[key]; !waiting.empty()) {
    const auto message = std::move(waiting.front());
    waiting.pop_front();
    return match(message, at);
  }
  posted_[key].push_back(at);
}

void Round::Rank::complete(std::uint32_t at) {
  is_complete_[at] = 1;
  times_ns_[at] = now_ns();
  --left_;
  release(schedule_[at].after_completion);
  proceed();
}

void Round::Rank::release(const std::vector<std::uint32_t>& operations) {
  for (const std::uint32_t at : operations) {
    if (--dependencies_[at] == 0) ready_.push_back(at);
  }
}

void Round::Rank::send(std::uint32_t at) {
  const Operation& operation = schedule_[at];
  const Settings& settings = round_.network_.settings();
  Rank& receiver = *job_.ranks[static_cast<std::size_t>(operation.partner)];
  const auto message = std::make_shared<Message>(Message{this, at, operation.amount, operation.tag});
  message->needs_rendezvous = operation.amount > settings.eager_bytes;
  const std::int64_t first = std::min(operation.amount, settings.eager_bytes);
  round_.channel(*this, receiver).send({settings.header_bytes + first, nullptr, [&receiver, message] {
                                          receiver.arrive(message);
                                        }});
  if (!message->needs_rendezvous) complete(at);
}

void Round::Rank::arrive(const std::shared_ptr<Message>& message) {
  const Key key{message->sender->number, message->tag};
  if (auto& waiting = posted_[key]; !waiting.empty()) {
    const std::uint32_t receive = waiting.front();
    waiting.pop_front();
    return match(message, receive);
  }
  unexpected_[key].push_back(message);
}

void Round::Rank::match(const std::shared_ptr<Message>& message, std::uint32_t receive) {
  const Operation& operation = schedule_[receive];
  if (operation.amount < message->bytes) {
    throw MachineFault("job {}, rank {}: {}: a message of {} bytes arrives", job_.plan.name, number, operation.text(),
                       message->bytes);
  }
  if (!message->needs_rendezvous) return received(receive);
  const Settings& settings = round_.network_.settings();
  round_.channel(*this, *message->sender).send({settings.header_bytes, nullptr, [this, message, receive, &settings] {
                                                  Rank& sender = *message->sender;
                                                  const std::int64_t rest = message->bytes - settings.eager_bytes;
                                                  round_.channel(sender, *this)
                                                      .send({settings.header_bytes + rest,
                                                             [&sender, at = message->send] { sender.complete(at); },
                                                             [this, receive] { received(receive); }});
                                                }});
}

void Round::Rank::received(std::uint32_t receive) {
  occupy(round_.network_.settings().receive_overhead_ns, [this, receive] { complete(receive); });
}

const Operation* Round::Rank::unfinished() const {
  if (!is_running_) return nullptr;
  for (std::uint32_t at = 0; at < schedule_.size(); ++at) {
    if (is_complete_[at] == 0 && dependencies_[at] == 0) return &schedule_[at];
  }
  return nullptr;
}

Round::Round(Network& network, std::vector<JobPlan> plans, std::ofstream& output) : network_(network), output_(output) {
  int world = 0;
  for (JobPlan& plan : plans) {
    Job& job = *jobs_.emplace_back(std::make_unique<Job>());
    job.plan = std::move(plan);
    job.number = static_cast<int>(jobs_.size()) - 1;
    for (std::size_t rank = 0; rank < job.plan.hosts.size(); ++rank) {
      job.ranks.push_back(std::make_unique<Rank>(*this, job, static_cast<int>(rank), world++, job.plan.hosts[rank],
                                                 job.plan.schedules[rank]));
    }
  }
  create_connections();
}

Round::~Round() = default;

Channel& Round::channel(const Rank& from, const Rank& to) { return *channels_.at({from.world, to.world}); }

// One connection for each pair of ranks that exchange messages, as Open MPI's TCP transport opens them.
void Round::create_connections() {
  for (const auto& job : jobs_) {
    for (const auto& rank : job->ranks) {
      const auto number = static_cast<std::size_t>(rank->number);
      for (const Operation& operation : job->plan.schedules[number]) {
        if (operation.kind == Kind::send) connect(*rank, *job->ranks[static_cast<std::size_t>(operation.partner)]);
      }
      if (number > 0 && job->plan.ending != Ending::once) connect(*rank, *job->ranks[Tree::parent(number)]);
    }
  }
}

void Round::connect(const Rank& rank, const Rank& other) {
  if (channels_.contains({rank.world, other.world})) return;
  if (rank.host == other.host) {
    for (const auto& pair : {std::pair{rank.world, other.world}, std::pair{other.world, rank.world}})
      channels_[pair] = local_channels_.emplace_back(std::make_unique<LocalChannel>(network_.settings())).get();
    return;
  }
  const int port = first_client_port + connections_of_[rank.host]++;
  if (port > last_client_port)
    throw UserMistake("a host has more than {} connections", last_client_port - first_client_port + 1);
  Connection& connection = *connections_.emplace_back(std::make_unique<Connection>());
  channels_[{rank.world, other.world}] = &connection.outward();
  channels_[{other.world, rank.world}] = &connection.inward();
  opening_[{network_.address(rank.host).Get(), static_cast<std::uint16_t>(port)}] = &connection;
  if (listening_.insert(other.host).second) listen(other.host);
  connection.open(network_, rank.host, other.host, static_cast<std::uint16_t>(port), listening_port);
}

void Round::listen(int host) {
  const auto listener =
      listeners_.emplace_back(create_tcp_socket(network_.node(host), network_.settings().max_timeout_ns));
  listener->Bind(ns3::InetSocketAddress(ns3::Ipv4Address::GetAny(), listening_port));
  listener->Listen();
  listener->SetAcceptCallback(ns3::MakeNullCallback<bool, ns3::Ptr<ns3::Socket>, const ns3::Address&>(),
                              [this](ns3::Ptr<ns3::Socket> socket, const ns3::Address& from) {
                                const auto client = ns3::InetSocketAddress::ConvertFrom(from);
                                opening_.at({client.GetIpv4().Get(), client.GetPort()})->accept(socket);
                              });
}

void Round::start_when_connected() {
  if (!std::ranges::all_of(connections_, [](const auto& connection) { return connection->is_open(); })) {
    if (now_ns() > setup_limit_ns) throw MachineFault("TCP connections could not be opened within 60 s");
    ns3::Simulator::Schedule(ns3::NanoSeconds(setup_poll_ns), &Round::start_when_connected, this);
    return;
  }
  started_ns_ = now_ns();
  for (const auto& job : jobs_) {
    ns3::Simulator::Schedule(ns3::NanoSeconds(job->plan.start_ns), [&ranks = job->ranks] {
      for (const auto& rank : ranks) rank->start();
    });
  }
}

bool Round::is_done() const {
  return std::ranges::all_of(jobs_, [](const auto& job) { return job->is_done(); });
}

void Round::repetition_finished(Job& job) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const auto& rank : job.ranks) least = std::min(least, rank->finished());
  if (least == job.finished) return;
  job.finished = least;
  if (is_done()) {
    ended_ns_ = now_ns();
    ns3::Simulator::Stop();
    return;
  }
}

std::int64_t Round::run() {
  ns3::Simulator::ScheduleNow(&Round::start_when_connected, this);
  ns3::Simulator::Run();
  if (ended_ns_ < 0) require_done();
  return ended_ns_ - started_ns_;
}

void Round::require_done() const {
  std::string waiting;
  int count = 0;
  for (const auto& job : jobs_) {
    for (const auto& rank : job->ranks) {
      const Operation* operation = rank->unfinished();
      if (operation == nullptr || ++count > 5) continue;
      waiting += fmt::format("\n  job {}, rank {}, repetition {}: {}", job->plan.name, rank->number, rank->finished(),
                             operation->text());
    }
  }
  throw MachineFault("deadlock: {} ranks wait for operations that can never complete:{}{}", count, waiting,
                     count > 5 ? "\n  ..." : "");
}

std::vector<JobPlan> read_round(const std::string& path, const Network& network) {
  TextLines lines{path, input_limits::max_trace_file_bytes};
  std::vector<std::string> words;
  if (!lines.next(words) || words != std::vector<std::string>{"stressbench-round", "1"})
    lines.reject("expected 'stressbench-round 1'");
  std::vector<JobPlan> jobs;
  while (lines.next(words)) {
    if (words.size() < 9 || words[0] != "job")
      lines.reject("'{}': expected 'job NAME GOAL_FILE WARMUP MEASURED PARTS once|sustain|background START_NS HOST...'",
                   joined(words));
    JobPlan& job = jobs.emplace_back();
    job.name = words[1];
    job.warmup = lines.integer(words[3], "warm-up repetitions");
    job.measured = lines.integer(words[4], "measured repetitions", 1);
    job.parts = lines.integer(words[5], "parts of a repetition", 1);
    static const std::map<std::string, Ending> endings{
        {"once", Ending::once}, {"sustain", Ending::sustain}, {"background", Ending::background}};
    const auto ending = endings.find(words[6]);
    if (ending == endings.end()) lines.reject("'{}': expected once, sustain or background", words[6]);
    job.ending = ending->second;
    job.start_ns = lines.integer(words[7], "start in ns");
    for (std::size_t k = 8; k < words.size(); ++k) {
      try {
        job.hosts.push_back(network.host(words[k]));
      } catch (const UserMistake& mistake) {
        lines.reject("{}", mistake.what());
      }
    }
    job.schedules = read_goal((std::filesystem::path(path).parent_path() / words[2]).string());
    if (job.schedules.size() != job.hosts.size())
      lines.reject("{} has {} ranks, but {} hosts are named", words[2], job.schedules.size(), job.hosts.size());
    for (std::size_t rank = 0; rank < job.schedules.size(); ++rank) {
      for (const Operation& operation : job.schedules[rank]) {
        if (operation.partner == static_cast<int>(rank))
          lines.reject("{}: rank {}: {}: a message to itself", words[2], rank, operation.text());
      }
    }
  }
  if (jobs.empty()) lines.reject("expected at least one job");
  if (std::ranges::all_of(jobs, [](const JobPlan& job) { return job.ending == Ending::background; }))
    lines.reject("all jobs are in the background: expected one that is measured");
  return jobs;
}

}  // namespace stressbench::packet
