// Whole runs in one launch: what listeners are told, and in which order.
#include "scheduler/session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <map>
#include <numeric>
#include <thread>
#include <tuple>

#include "capture.hpp"
#include "engine_fixture.hpp"
#include "motifs/serial_setup.hpp"
#include "scheduler/rank_status.hpp"
#include "stepping_clock.hpp"

namespace stressbench::scheduler {
namespace {

using namespace stressbench::test;

class Notebook final : public Listener {
 public:
  void on_header(const Header& header) override { jobs = header.jobs; }
  void on_sample(const Sample& sample) override { samples.push_back(sample); }
  void on_histogram(const HistogramRecord& histogram) override { histograms.push_back(histogram); }
  void on_event(const Event& event) override {
    if (event.kind == "motif_remark") notes.push_back(event);
    if (event.kind == "link_counters") unknown_links.push_back(event);
    if (event.kind == "telemetry") lost_sources.push_back(event);
  }
  void on_round(const RoundRecord& record) override {
    rounds.push_back(record);
    if (static_cast<int>(rounds.size()) == fail_at) throw MachineFault("disk full on purpose");
  }
  void on_end(const End& record) override {
    end = record;
    if (fail_at == at_the_end) throw MachineFault("disk full at the end");
  }
  void on_fault(const Fault& record) override { fault = record; }

  static constexpr int at_the_end = 1000;
  int fail_at = -1;  // number of the round, or at_the_end
  std::vector<JobRecord> jobs;
  std::vector<Sample> samples;
  std::vector<HistogramRecord> histograms;
  std::vector<Event> notes;
  std::vector<Event> unknown_links;
  std::vector<Event> lost_sources;
  std::vector<RoundRecord> rounds;
  std::optional<End> end;
  std::optional<Fault> fault;
};

// Rank 1 moves least; the time grows with the rank.
class Uneven final : public Motif {
 public:
  Traffic traffic(int) const override { return {}; }
  void decompose(const mpi::Group& group, const Draw&) override { rank_ = group.rank(); }
  void perform(Recorder&) override {
    elapsed_.add(rank_);
    moved_.add(rank_ == 1 ? 1 : 5);
  }

 private:
  Metric elapsed_{this, "took_s", Better::lower, "more on higher ranks"};
  Metric moved_{this, "moved_bytes", Better::higher, "least on rank 1"};
  int rank_ = 0;
};
const RegisterMotif<Uneven> registered{"test_uneven", Family::probe, "metrics that differ by rank"};

// Rank 0 has nothing to do, like the target of one-sided operations; the others take a tenth of a millisecond.
class IdleRoot final : public Motif {
 public:
  Traffic traffic(int) const override { return {}; }
  void decompose(const mpi::Group& group, const Draw&) override { rank_ = group.rank(); }
  void perform(Recorder& recorder) override {
    if (rank_ > 0) recorder.spin_for(100'000);
  }

 private:
  int rank_ = 0;
};
const RegisterMotif<IdleRoot> idle_root{"test_idle_root", Family::probe, "rank 0 only looks on"};

// Rank 1 waits, for up to 50 looks a millisecond apart, until rank 0 is in the next repetition.
class Followed final : public Motif {
 public:
  static inline int followed = 0;

  Traffic traffic(int) const override { return {}; }
  void decompose(const mpi::Group& group, const Draw&) override {
    group_ = &group;
    followed = 0;
  }
  void perform(Recorder&) override {
    if (group_->rank() == 0) {
      MPI_Request sent = MPI_REQUEST_NULL;
      MPI_Isend(nullptr, 0, MPI_BYTE, 1, 0, group_->handle(), &sent);
      MPI_Request_free(&sent);
      return;
    }
    MPI_Recv(nullptr, 0, MPI_BYTE, 0, 0, group_->handle(), MPI_STATUS_IGNORE);
    int arrived = 0;
    for (int look = 0; look < 50 && arrived == 0; ++look) {
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
      MPI_Iprobe(0, 0, group_->handle(), &arrived, MPI_STATUS_IGNORE);
    }
    followed += arrived;
  }

 private:
  const mpi::Group* group_ = nullptr;
};
const RegisterMotif<Followed> followed{"test_followed", Family::probe, "counts repetitions that the next one overlaps"};

workload::MotifCall compute(const char* mean_time = "20us") {
  workload::MotifCall call;
  call.name = "compute";
  workload::Option mean;
  mean.name = "mean";
  mean.value = mean_time;
  call.options.push_back(mean);
  return call;
}

workload::Job on_nodes(std::vector<int> nodes, std::string name) {
  workload::Job job = job_of({compute()}, std::move(name));
  job.nodes = std::move(nodes);
  job.repeat = 3;
  return job;
}

// Computation of which rank 0 has a tenth of the mean, and the last rank nearly twice the mean.
workload::MotifCall unbalanced(std::string mean) {
  workload::MotifCall call = compute();
  call.options[0].value = std::move(mean);
  workload::Option imbalance;
  imbalance.name = "imbalance";
  imbalance.value = "90%";
  call.options.push_back(imbalance);
  return call;
}

struct Outcome {
  Notebook notebook;
  EndReason reason = EndReason::done;
  std::optional<std::string> fault;
};

// Runs jobs with every rank as a node. The notebook is filled on rank 0.
Outcome run(const std::vector<workload::Job>& jobs, const RunOptions& options, EarlierLaunches prior = {},
            int fail_at = -1, LinkCounters* links = nullptr, const Clock& clock = MonotonicClock(),
            HostTelemetry* telemetry = nullptr) {
  const mpi::Group world = mpi::Group::view(MPI_COMM_WORLD).duplicate();
  const Machine machine = discover(world, workload::NodeSizes::parse("1"));
  workload::Workload workload;
  workload.jobs = jobs;
  Outcome outcome;
  outcome.notebook.fail_at = fail_at;
  ImpactTracker tracker;
  Session session{world, clock, machine, workload, options, {&tracker, &outcome.notebook}, tracker, prior};
  if (links != nullptr && world.rank() == 0) session.set_link_counters(*links);
  if (telemetry != nullptr) session.set_telemetry(*telemetry);
  outcome.reason = session.run({"test"}, "text");
  outcome.fault = session.fault();
  return outcome;
}

RunOptions options_of(int isolated, int contended) {
  RunOptions options;
  options.counts = {isolated, contended};
  return options;
}

bool is_root() { return mpi::Group::view(MPI_COMM_WORLD).rank() == 0; }
int ranks() { return mpi::Group::view(MPI_COMM_WORLD).size(); }

// Like a disk or a counter that responds slowly, and that a rank spinning at real-time priority would keep waiting.
class SlowToAnswer final : public LinkCounters {
 public:
  LinkCounts read() override {
    std::this_thread::sleep_for(std::chrono::milliseconds{100});
    return {};
  }
};

// Names of calls without their arguments: "Bcast:24@2" is Bcast.
std::vector<std::string> names_of(const std::vector<std::string>& tokens) {
  std::vector<std::string> names;
  for (const std::string& token : tokens) names.push_back(token.substr(0, token.find_first_of(":[@")));
  return names;
}

// Calls of a rank without a job, on any number of ranks: it waits with pauses for the description of the jobs, and in
// each round for the order, for the start and for the end of the round.
std::vector<std::string> calls_of_who_is_parked(int rounds) {
  std::vector<std::string> calls{"Ibarrier", "Bcast"};
  for (int round = 0; round < rounds; ++round) {
    for (const char* call : {"Ibarrier", "Bcast", "Ibarrier", "Ibarrier", "Reduce"}) calls.emplace_back(call);
  }
  // The last order; peak memory of the ranks; success of the writes.
  calls.insert(calls.end(), {"Ibarrier", "Bcast", "Reduce", "Reduce", "Ibarrier", "Bcast"});
  return calls;
}

// Pauses grow to a maximum, so that waiting takes a few polls at first and then one per maximum pause: never more,
// whatever else runs on the machine.
TEST(Session, WhoWaitsBetweenRoundsLooksNowAndThenAndBlocksNowhere) {
  constexpr int rounds = 10;
  constexpr std::int64_t looks_at_first = 14;
  constexpr std::int64_t longest_pause_ns = 5'000'000;
  SlowToAnswer links;
  const MonotonicClock clock;
  const std::int64_t begin_ns = clock.now_ns();
  capture::start();
  run({on_nodes({0}, "a")}, options_of(rounds / 2, rounds / 2), {}, -1, &links);
  const capture::Record record = capture::stop();
  const std::int64_t passed_ns = clock.now_ns() - begin_ns;
  if (is_root()) return;

  const auto expected = calls_of_who_is_parked(rounds);
  auto names = names_of(record.tokens);
  ASSERT_EQ(names.back(), "Comm_free");
  names.pop_back();
  ASSERT_GT(names.size(), expected.size());
  names.erase(names.begin(), names.end() - static_cast<std::ptrdiff_t>(expected.size()));
  EXPECT_EQ(names, expected);
  const auto waits = std::ranges::count(expected, "Ibarrier");
  EXPECT_LE(std::ssize(record.tests), looks_at_first * waits + passed_ns / longest_pause_ns);
}

TEST(Session, RunsThePlanAndEndsComplete) {
  const Outcome outcome = run({on_nodes({0}, "a")}, options_of(2, 2));
  EXPECT_EQ(outcome.reason, EndReason::done);
  if (!is_root()) return;
  EXPECT_EQ(outcome.notebook.rounds.size(), 4U);
  ASSERT_TRUE(outcome.notebook.end);
  EXPECT_TRUE(outcome.notebook.end->complete);
  EXPECT_EQ(outcome.notebook.end->rounds, 4);
}

// Counts a hundred bytes more with every reading, and fails after `looks` readings.
class Growing final : public LinkCounters {
 public:
  explicit Growing(int looks) : max_readings_(looks) {}
  LinkCounts read() override {
    if (++readings > max_readings_) throw MachineFault("the switch is gone");
    return {{"x", "a", "b", 1000, 100 * readings, readings, 0}};
  }
  int readings = 0;

 private:
  int max_readings_;
};

TEST(Session, PutsWhatLinksCarriedIntoEachRound) {
  Growing links(100);
  const Outcome outcome = run({on_nodes({0}, "a")}, options_of(2, 1), {}, -1, &links);
  if (!is_root()) return;
  EXPECT_EQ(links.readings, 6) << "before and after each of three rounds";
  for (const RoundRecord& round : outcome.notebook.rounds) {
    ASSERT_TRUE(round.links);
    ASSERT_EQ(round.links->size(), 1U);
    EXPECT_EQ(round.links->front().bytes, 100);
    EXPECT_EQ(round.links->front().frames, 1);
  }
  EXPECT_TRUE(outcome.notebook.unknown_links.empty());
}

TEST(Session, GoesOnWithoutLinksThatAreNoLongerCounted) {
  Growing links(3);
  const Outcome outcome = run({on_nodes({0}, "a")}, options_of(3, 0), {}, -1, &links);
  EXPECT_EQ(outcome.reason, EndReason::done);
  if (!is_root()) return;
  ASSERT_EQ(outcome.notebook.rounds.size(), 3U);
  EXPECT_TRUE(outcome.notebook.rounds[0].links);
  EXPECT_FALSE(outcome.notebook.rounds[1].links);
  EXPECT_FALSE(outcome.notebook.rounds[2].links);
  ASSERT_EQ(outcome.notebook.unknown_links.size(), 1U);
  EXPECT_EQ(outcome.notebook.unknown_links.front().round, 2);
  EXPECT_THAT(outcome.notebook.unknown_links.front().message, testing::HasSubstr("the switch is gone"));
}

// Notes its readings in the journal, and grows by 7 with each, until `readings` of them were made.
class Noting final : public telemetry::Source {
 public:
  explicit Noting(int readings) : left_(readings) {}
  telemetry::Reading read() override {
    if (--left_ < 0) throw MachineFault("is gone");
    journal.emplace_back("read");
    return {{"sent", "eth0", telemetry::CounterUnit::bytes, total_ += 7}};
  }

 private:
  int left_;
  std::uint64_t total_ = 0;
};

// Runs a Tick on the node of rank 0 with telemetry that can be read so often.
Outcome run_with_telemetry(int readings, int rounds) {
  const mpi::Group world = mpi::Group::view(MPI_COMM_WORLD).duplicate();
  const telemetry::SourceEntry source{
      "noting", "", "", [readings](const telemetry::FileTree&) { return std::make_unique<Noting>(readings); }};
  HostTelemetry telemetry{world,
                          discover(world, workload::NodeSizes::parse("1")),
                          {source},
                          telemetry::FileTree("/"),
                          std::chrono::hours(1)};
  workload::Job job = on_nodes({0}, "a");
  job.steps = {tick()};
  journal.clear();
  return run({job}, options_of(rounds, 0), {}, -1, nullptr, MonotonicClock(), &telemetry);
}

TEST(Session, ReadsTelemetryBeforeTheFirstAndAfterTheLastRepetitionOfARound) {
  const Outcome outcome = run_with_telemetry(100, 2);
  if (!is_root()) return;
  std::string order;
  for (const std::string& entry : journal) {
    if (entry == "read") order += 'r';
    if (entry == "perform") order += 'p';
  }
  EXPECT_EQ(order, "rpppprrppppr") << "a warm-up and three repetitions";
  for (const RoundRecord& round : outcome.notebook.rounds) {
    ASSERT_TRUE(round.telemetry);
    ASSERT_EQ(round.telemetry->size(), 1U);
    EXPECT_EQ(round.telemetry->front().values->sum, 7U);
  }
  EXPECT_TRUE(outcome.notebook.lost_sources.empty());
}

TEST(Session, GoesOnWithoutATelemetrySourceThatFails) {
  const Outcome outcome = run_with_telemetry(3, 3);
  EXPECT_EQ(outcome.reason, EndReason::done);
  if (!is_root()) return;
  ASSERT_EQ(outcome.notebook.rounds.size(), 3U);
  EXPECT_TRUE(outcome.notebook.rounds[0].telemetry->front().values);
  EXPECT_FALSE(outcome.notebook.rounds[2].telemetry->front().values);
  ASSERT_EQ(outcome.notebook.lost_sources.size(), 1U);
  const Event& event = outcome.notebook.lost_sources.front();
  EXPECT_EQ(event.severity, Severity::warning);
  EXPECT_EQ(event.round, 2);
  EXPECT_THAT(event.message, testing::StartsWith("source noting is gone (on "));
}

TEST(Session, TellsEveryRepetitionOfJobAndStep) {
  const Outcome outcome = run({on_nodes({0}, "a")}, options_of(1, 0));
  if (!is_root()) return;
  std::map<std::pair<int, Phase>, int> counts;
  for (const Sample& sample : outcome.notebook.samples) ++counts[{sample.step.value_or(-1), sample.head.phase}];
  const std::map<std::pair<int, Phase>, int> expected{
      {{-1, Phase::warmup}, 1}, {{-1, Phase::measured}, 3}, {{0, Phase::warmup}, 1}, {{0, Phase::measured}, 3}};
  EXPECT_EQ(counts, expected);
}

TEST(Session, TellsMotifsTheRunsIdAndTheirNode) {
  const int node = ranks() - 1;
  workload::Job job = on_nodes({node}, "a");
  job.steps = {tick()};
  RunOptions options = options_of(1, 0);
  options.run_id = "run-7";
  journal.clear();
  run({job}, options);
  if (mpi::Group::view(MPI_COMM_WORLD).rank() != node) return;
  EXPECT_THAT(journal, testing::Contains("bind run-7 " + std::to_string(node)).Times(1));
}

// Notes in the journal when it is asked for its traffic: a motif with a call list writes the lists of all ranks then.
class AskedForTraffic final : public Motif {
 public:
  Traffic traffic(int) const override {
    journal.emplace_back("traffic");
    return {};
  }
  void decompose(const mpi::Group&, const Draw&) override { journal.emplace_back("decompose"); }
  void perform(Recorder&) override {}
};
const RegisterMotif<AskedForTraffic> asked_for_traffic{"test_asked", Family::probe, "notes who asks for its traffic"};

TEST(Session, ComputesThePeriodOfARateOnceBeforeTheFirstRound) {
  workload::MotifCall call;
  call.name = "test_asked";
  workload::Job job = job_of({call}, "a");
  job.rate = Bytes{1'000'000};
  journal.clear();
  run({job}, options_of(2, 1));
  if (!is_root()) return;
  EXPECT_THAT(journal, testing::ElementsAre("traffic", "decompose", "decompose", "decompose"));
}

TEST(Session, ParkedRanksAndIsolatedJobsLeaveNoSamplesOfOthers) {
  if (ranks() < 2) GTEST_SKIP() << "needs 2 ranks";
  const Outcome outcome = run({on_nodes({0}, "a"), on_nodes({1}, "b")}, options_of(1, 0));
  if (!is_root()) return;
  for (const Sample& sample : outcome.notebook.samples) {
    const Round& round = outcome.notebook.rounds[static_cast<std::size_t>(sample.round - 1)].round;
    EXPECT_EQ(sample.job, round.job);
    EXPECT_EQ(sample.time.slowest_rank, sample.job);
  }
}

// On world rank 0, notifies rank 1 in execution --at; on rank 1, waits for that.
class WaitsForAnother final : public Motif {
 public:
  Param<std::int64_t> at_{
      this,
      "at",
      0,
      "execution that tells, from 1; 0 waits",
  };
  Traffic traffic(int) const override { return {}; }
  void decompose(const mpi::Group&, const Draw&) override {}
  void perform(Recorder&) override {
    ++executions_;
    if (executions_ == *at_) MPI_Send(nullptr, 0, MPI_BYTE, 1, tag, MPI_COMM_WORLD);
    if (*at_ == 0 && executions_ == 1) wait();
  }

 private:
  static constexpr int tag = 77;
  static void wait() {
    int notified = 0;
    for (; notified == 0; sleep_for(1'000'000)) {  // a waiting MPI_Recv may spin
      MPI_Iprobe(0, tag, MPI_COMM_WORLD, &notified, MPI_STATUS_IGNORE);
    }
    MPI_Recv(nullptr, 0, MPI_BYTE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  std::int64_t executions_ = 0;
};
const RegisterMotif<WaitsForAnother> waits_for_another{"test_waits", Family::probe, "one rank waits for another"};

workload::Job waiting_on(int node, std::int64_t at, std::string name) {
  workload::MotifCall call;
  call.name = "test_waits";
  workload::Option option;
  option.name = "at";
  option.value = std::to_string(at);
  call.options.push_back(option);
  workload::Job job = job_of({call}, std::move(name));
  job.nodes = {node};
  return job;
}

// The second job cannot end before the first one executes more than its repetitions.
TEST(Session, SustainedJobsGoOnAndTheirExtrasAreMarked) {
  if (ranks() < 2) GTEST_SKIP() << "needs 2 ranks";
  constexpr std::int64_t warmup = 1;
  workload::Job quick = waiting_on(0, warmup + 3 + 2, "quick");
  quick.repeat = 3;
  workload::Job slow = waiting_on(1, 0, "slow");
  slow.repeat = 4;
  const Outcome outcome = run({quick, slow}, options_of(0, 1));
  if (!is_root()) return;
  const auto& jobs = outcome.notebook.rounds.front().jobs;
  EXPECT_EQ(jobs[0].repetitions[1], 3);
  EXPECT_GE(jobs[0].repetitions[2], 2) << "the quick job stopped while the slow one ran";
  EXPECT_EQ(jobs[1].repetitions[1], 4);
}

TEST(Session, FinishOnceStopsEachAtItsCount) {
  if (ranks() < 2) GTEST_SKIP() << "needs 2 ranks";
  workload::Job slow = on_nodes({1}, "slow");
  slow.repeat = 100;
  RunOptions options = options_of(0, 1);
  options.finish = Finish::once;
  const Outcome outcome = run({on_nodes({0}, "quick"), slow}, options);
  if (!is_root()) return;
  for (const JobProgress& job : outcome.notebook.rounds.front().jobs) EXPECT_EQ(job.repetitions[2], 0);
}

// Records the times of its decompose, which takes 20 ms.
class SerialDecompose final : public Motif, public SerialSetup {
 public:
  Traffic traffic(int) const override { return {}; }
  void decompose(const mpi::Group&, const Draw&) override {
    const MonotonicClock clock;
    when.front() = clock.now_ns();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    when.back() = clock.now_ns();
  }
  void perform(Recorder&) override {}
  static inline std::array<std::int64_t, 2> when{};  // one host, one clock
};
const RegisterMotif<SerialDecompose> registered_serial_decompose{"loner", Family::probe, "decomposes serially"};

TEST(Session, JobsWithSerialSetupDecomposeOneAfterTheOther) {
  if (ranks() < 2) GTEST_SKIP() << "needs 2 ranks";
  workload::MotifCall serial_decompose;
  serial_decompose.name = "loner";
  std::vector<workload::Job> jobs{job_of({serial_decompose}, "a"), job_of({serial_decompose}, "b")};
  for (int node = 0; node < 2; ++node) {
    jobs[static_cast<std::size_t>(node)].nodes = {node};
    jobs[static_cast<std::size_t>(node)].repeat = 1;
  }
  run(jobs, options_of(0, 1));
  std::vector<std::array<std::int64_t, 2>> all(static_cast<std::size_t>(ranks()));
  MPI_Allgather(SerialDecompose::when.data(), 2, MPI_INT64_T, all.data(), 2, MPI_INT64_T, MPI_COMM_WORLD);
  EXPECT_LE(all[0].back(), all[1].front());
}

TEST(Session, BackgroundJobsRunOnlyInContendedRounds) {
  if (ranks() < 2) GTEST_SKIP() << "needs 2 ranks";
  workload::Job background = on_nodes({1}, "load");
  background.role = workload::Role::background;
  const Outcome outcome = run({on_nodes({0}, "a"), background}, options_of(2, 2));
  if (!is_root()) return;
  EXPECT_EQ(outcome.notebook.rounds.size(), 4U);
  for (const RoundRecord& record : outcome.notebook.rounds) {
    EXPECT_EQ(record.jobs.size(), record.round.kind == RoundKind::contended ? 2U : 1U);
  }
}

// A job on rank 0, and one in the background on ranks 1 and 2.
std::vector<workload::Job> with_background(workload::MotifCall measured, int repeat, std::string background) {
  std::vector<workload::Job> jobs{job_of({std::move(measured)}, "a")};
  jobs.front().repeat = repeat;
  workload::MotifCall call;
  call.name = std::move(background);
  workload::Job& load = jobs.emplace_back(job_of({call}, "load"));
  load.nodes = {1, 2};
  load.role = workload::Role::background;
  return jobs;
}

// A batch fits into 20 ms of the slowest rank's time: at most 200 executions of 0.1 ms. A root that considered only its
// own time would plan four times as many at each step, up to a hundred thousand.
TEST(Session, ABackgroundJobWhoseRootIsIdlePlansByTheTimeOfItsOtherRanks) {
  if (ranks() < 3) GTEST_SKIP() << "needs 3 ranks";
  constexpr std::int64_t largest_batch = 200;
  capture::start();
  const Outcome outcome = run(with_background(compute("10ms"), 3, "test_idle_root"), options_of(0, 1));
  const auto names = names_of(capture::stop().tokens);
  const bool decides = mpi::Group::view(MPI_COMM_WORLD).rank() == 1;
  std::int64_t looks = decides ? std::ranges::count(names, "Bcast") + std::ranges::count(names, "Ibcast") : 0;
  MPI_Bcast(&looks, 1, MPI_INT64_T, 1, MPI_COMM_WORLD);
  if (!is_root()) return;
  EXPECT_LE(outcome.notebook.rounds.front().jobs.back().repetitions[1], largest_batch * looks);
}

// A rank that has to wait for the decision to go on would leave a gap in the traffic of the job. With 10 ms for each
// reading of the clock, a batch is one repetition, however long it takes.
TEST(Session, NoRankOfABackgroundJobWaitsForTheOthersBetweenRepetitions) {
  if (ranks() < 3) GTEST_SKIP() << "needs 3 ranks";
  workload::MotifCall asleep = compute("100ms");
  asleep.options.push_back({"mode", "sleep", {}, {}});
  run(with_background(asleep, 10, "test_followed"), options_of(0, 1), {}, -1, nullptr, SteppingClock(10'000'000));
  MPI_Bcast(&Followed::followed, 1, MPI_INT, 2, MPI_COMM_WORLD);
  EXPECT_GT(Followed::followed, 0);
}

TEST(Session, MinTimeIsReachedWhateverTheCount) {
  workload::Job job = on_nodes({0}, "a");
  job.repeat = 1;
  job.min_time = Nanoseconds{20'000'000};
  const Outcome outcome = run({job}, options_of(1, 0), {}, -1, nullptr, SteppingClock(1000));
  if (!is_root()) return;
  double measured_s = 0;
  for (const Sample& sample : outcome.notebook.samples) {
    if (!sample.step && sample.head.phase == Phase::measured) measured_s += sample.time.max;
  }
  EXPECT_GT(outcome.notebook.rounds.front().jobs.front().repetitions[1], 1);
  EXPECT_GE(outcome.notebook.rounds.front().duration_s, 0.02);
  EXPECT_LE(measured_s, outcome.notebook.rounds.front().duration_s);
}

TEST(Session, ContinuingSkipsWhatIsDone) {
  const Outcome uninterrupted = run({on_nodes({0}, "a")}, options_of(3, 3));
  const Outcome continued = run({on_nodes({0}, "a")}, options_of(3, 3), EarlierLaunches{1, 4});
  if (!is_root()) return;
  ASSERT_EQ(continued.notebook.rounds.size(), 2U);
  EXPECT_EQ(continued.notebook.rounds[0].round, uninterrupted.notebook.rounds[4].round);
  EXPECT_EQ(continued.notebook.end->rounds, 6);
}

TEST(Session, AListenerThatFailsEndsTheRunOnEveryRank) {
  const Outcome outcome = run({on_nodes({0}, "a")}, options_of(3, 3), {}, 2);
  EXPECT_EQ(outcome.reason, EndReason::fault);
  if (!is_root()) return;
  EXPECT_EQ(outcome.fault, "disk full on purpose");
  ASSERT_TRUE(outcome.notebook.fault);
  EXPECT_EQ(outcome.notebook.fault->cause, "disk full on purpose");
  EXPECT_EQ(outcome.notebook.fault->round, 2);
  EXPECT_EQ(outcome.notebook.fault->rank, 0);
  EXPECT_EQ(outcome.notebook.fault->host, host_name());
  EXPECT_FALSE(outcome.notebook.fault->job || outcome.notebook.fault->motif) << "no job is to blame";
  EXPECT_FALSE(outcome.notebook.end);
}

TEST(Session, ARunWithoutFaultHasNoRecordOfOne) {
  const Outcome outcome = run({on_nodes({0}, "a")}, options_of(1, 0));
  EXPECT_FALSE(outcome.notebook.fault);
}

TEST(Session, TheStatusOfARankNamesItsJobByNameAndNumber) {
  const int last = ranks() - 1;
  run({on_nodes({last}, "only")}, options_of(1, 0));
  if (mpi::Group::view(MPI_COMM_WORLD).rank() != last) return;
  const Fault fault = fault_of(rank_status(), "h1", "why");
  EXPECT_EQ(fault.job, 0);
  EXPECT_EQ(fault.rank, last);
  EXPECT_EQ(fault.round, 1);
}

TEST(Session, AListenerThatCannotKeepTheLastRecordMakesTheRunAFaultOnEveryRank) {
  const Outcome outcome = run({on_nodes({0}, "a")}, options_of(1, 1), {}, Notebook::at_the_end);
  EXPECT_EQ(outcome.reason, EndReason::fault);
  if (!is_root()) return;
  EXPECT_EQ(outcome.fault, "disk full at the end");
}

TEST(Session, TheTimeLimitStopsBeforeARoundThatWouldNotEnd) {
  RunOptions options = options_of(1000000, 0);
  options.time_limit = Nanoseconds{100'000'000};
  const Outcome outcome = run({on_nodes({0}, "a")}, options);
  EXPECT_EQ(outcome.reason, EndReason::time_limit);
  if (!is_root()) return;
  EXPECT_FALSE(outcome.notebook.end->complete);
}

TEST(Session, TheSlowestRankIsNamed) {
  if (ranks() < 2) GTEST_SKIP() << "needs 2 ranks";
  workload::Job job = on_nodes({1, 0}, "a");
  job.steps = {unbalanced("100us")};
  const Outcome outcome = run({job}, options_of(1, 0), {}, -1, nullptr, SteppingClock(1000));
  if (!is_root()) return;
  for (const Sample& sample : outcome.notebook.samples) {
    if (!sample.step) continue;
    EXPECT_EQ(sample.time.slowest_rank, 0) << "node 1 was listed first, so world rank 0 is the job's rank 1";
  }
}

// On the last node, so that rank 0 is told by message if there is more than one.
TEST(Session, TellsTheHistogramsThatMotifsKeepBesideThoseOfTheirExecutions) {
  workload::Job job = on_nodes({ranks() - 1}, "a");
  job.steps = {tick(), tick({{"half", "500"}})};
  const Outcome outcome = run({job}, options_of(1, 0));
  if (!is_root()) return;
  std::vector<std::tuple<int, std::string, std::uint64_t>> histograms;
  for (const HistogramRecord& histogram : outcome.notebook.histograms) {
    histograms.emplace_back(histogram.step, histogram.quantity, histogram.counts.total());
    if (histogram.quantity != "half") continue;
    EXPECT_DOUBLE_EQ(histogram.min_s, 500e-9);
    EXPECT_DOUBLE_EQ(histogram.mean_s, 500e-9);
    EXPECT_DOUBLE_EQ(histogram.max_s, 500e-9);
  }
  EXPECT_THAT(histograms,
              testing::ElementsAre(std::tuple{0, "time", 3U}, std::tuple{1, "time", 3U}, std::tuple{1, "half", 3U}))
      << "3 measured repetitions; an empty histogram is left out";
}

// Rank 0 waits least and the last rank longest, so the ranks of a job fill different buckets.
TEST(Session, HistogramsHaveTheExecutionsOfAllRanks) {
  for (const bool is_first : {true, false}) {  // the root of a job without world rank 0 tells it by message
    std::vector<int> nodes;
    for (int node = is_first ? 0 : 1; node < ranks(); ++node) nodes.push_back(node);
    if (nodes.empty()) continue;
    workload::Job job = on_nodes(nodes, "a");
    job.steps = {unbalanced("10us"), unbalanced("1ms"), unbalanced("50us")};
    const Outcome outcome = run({job}, options_of(1, 0), {}, -1, nullptr, SteppingClock(1000));
    if (!is_root()) continue;
    ASSERT_EQ(outcome.notebook.histograms.size(), 3U);
    for (const HistogramRecord& one : outcome.notebook.histograms) {
      SCOPED_TRACE(one.step);
      EXPECT_EQ(one.counts.total(), 3 * nodes.size());
      const auto filled = [&](double time_s) {
        return one.counts.counts()[Histogram::bucket_of(std::llround(time_s * 1e9))] > 0;
      };
      EXPECT_TRUE(filled(one.min_s));
      EXPECT_TRUE(filled(one.max_s));
      EXPECT_GT(one.mean_s, 0);
      if (nodes.size() > 1) {
        EXPECT_GT(one.max_s, 5 * one.min_s);
      }
    }
  }
}

TEST(Session, TellsEachRemarkOfAMotifOnce) {
  const std::string lengthy(5000, 'x');
  workload::Job job = on_nodes({ranks() - 1}, "a");
  job.steps = {tick({{"note", lengthy}})};
  const Outcome outcome = run({job}, options_of(2, 1));
  if (!is_root()) return;
  const std::vector<Event>& notes = outcome.notebook.notes;
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_EQ(notes[0].message, "test_tick: " + lengthy);
  EXPECT_EQ(notes[1].message, "test_tick: 5000");
  for (const Event& note : notes) {
    EXPECT_EQ(note.severity, Severity::note);
    EXPECT_EQ(note.round, 1);
    EXPECT_EQ(note.job, 0);
  }
}

TEST(Session, NamesWhoHadTheWorstOfAMetric) {
  std::vector<int> nodes(static_cast<std::size_t>(ranks()));
  std::iota(nodes.begin(), nodes.end(), 0);
  workload::Job job = on_nodes(nodes, "a");
  workload::MotifCall uneven;
  uneven.name = "test_uneven";
  job.steps = {uneven};
  const Outcome outcome = run({job}, options_of(1, 0));
  if (!is_root()) return;
  const Sample& sample = outcome.notebook.samples.back();
  ASSERT_EQ(sample.metrics.size(), 2U);
  EXPECT_EQ(sample.metrics[0].name, "took_s");
  EXPECT_EQ(sample.metrics[0].slowest_rank, ranks() - 1);
  EXPECT_EQ(sample.metrics[1].name, "moved_bytes");
  EXPECT_EQ(sample.metrics[1].slowest_rank, ranks() > 1 ? 1 : 0);
}

}  // namespace
}  // namespace stressbench::scheduler
