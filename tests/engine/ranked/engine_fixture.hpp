// For tests of the scheduler: a clock that only advances on demand, and a motif that advances it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "motifs/motif.hpp"
#include "workload/model.hpp"

namespace stressbench::test {

class FakeClock final : public Clock {
 public:
  std::int64_t now_ns() const noexcept override { return now; }
  std::int64_t now = 0;
};

// The clock that every Tick advances, and the calls that Ticks received, in order.
inline FakeClock fake_clock;
inline std::vector<std::string> journal;

// A motif with a `perform` that takes -t nanoseconds of fake time. Every other call takes a second, which must never be
// measured.
class Tick final : public Motif {
 public:
  Param<std::int64_t> time_{this, 't', "time", 100, "fake nanoseconds of one perform", Positive{}};
  Param<std::int64_t> half_{this, "half", 0, "fake nanoseconds of a part, noted unless 0"};
  Param<std::string> note_{this, "note", "", "said in every round, and its length"};
  Param<bool> wrong_{this, "wrong", "verification fails"};
  Metric reduced_{this, "reduced_performs", Better::higher, "performs that a reduce_metrics followed"};
  Metric work_{this, "work_bytes", Better::higher, "7 a perform"};

  Traffic traffic(int) const override { return {}; }
  void bind(const RunContext& context) override {
    record_call("bind " + context.run_id + " " + std::to_string(context.node));
  }
  void decompose(const mpi::Group&, const Draw&) override { record_call("decompose"); }
  void prepare(std::uint64_t execution) override { record_call("prepare " + std::to_string(execution)); }
  void perform(Recorder&) override {
    journal.emplace_back("perform");
    fake_clock.now += *time_;
    work_.add(7);
    ++unreduced_performs_;
    if (*half_ > 0) half_histogram_.record(*half_);
  }
  std::vector<MotifHistogram*> histograms() override {
    if (*half_ == 0) return {};
    return {&empty_histogram_, &half_histogram_};
  }
  void reduce_metrics() override {
    record_call("reduce_metrics");
    reduced_.add(std::exchange(unreduced_performs_, 0));
  }
  std::vector<std::string> notes() const override {
    if (note_->empty()) return {};
    return {*note_, *note_, std::to_string(note_->size())};
  }
  void fill_payload(std::uint64_t pass) override { record_call("fill_payload " + std::to_string(pass)); }
  void verify(std::uint64_t pass) const override {
    record_call("verify " + std::to_string(pass));
    if (*wrong_) throw MachineFault("wrong on purpose");
  }
  ~Tick() override { journal.emplace_back("cleanup"); }

 private:
  int unreduced_performs_ = 0;
  MotifHistogram empty_histogram_{"whole"};  // in which nothing is recorded
  MotifHistogram half_histogram_{"half"};

  static void record_call(const std::string& what) {
    journal.push_back(what);
    fake_clock.now += 1'000'000'000;
  }
};

inline workload::MotifCall tick(std::vector<std::pair<std::string, std::string>> options = {}) {
  workload::MotifCall call;
  call.name = "test_tick";
  for (auto& [name, value] : options) {
    workload::Option& option = call.options.emplace_back();
    option.name = name;
    if (!value.empty()) option.value = value;
  }
  return call;
}

inline workload::Job job_of(std::vector<workload::Step> steps, std::string name = "job") {
  workload::Job job;
  job.name = std::move(name);
  job.steps = std::move(steps);
  job.nodes = std::vector<int>{0};
  return job;
}

}  // namespace stressbench::test
