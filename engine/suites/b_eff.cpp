// b_eff: the effective bandwidth of a machine's network as one number (Rabenseifner and Koniges; docs/motifs/b_eff.md).
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/buffer.hpp"
#include "core/payload.hpp"
#include "core/progress.hpp"
#include "io/appended_file.hpp"
#include "io/first_rank.hpp"
#include "motifs/motif.hpp"
#include "motifs/point_to_point/pairing.hpp"
#include "suites/b_eff_patterns.hpp"
#include "suites/b_eff_rule.hpp"
#include "suites/memory_share.hpp"
#include "suites/protocol.hpp"
#include "suites/ring_exchange.hpp"

namespace stressbench {

namespace {

using beff::Method;

constexpr int tag = 3;
constexpr std::int64_t gap_bytes = 16;
constexpr std::array all_methods{Method::sendrecv, Method::alltoallv, Method::nonblocking};

struct AtLeastTwo {
  static constexpr std::string_view words = "2 or more";
  static bool holds(std::int64_t value) noexcept { return value >= 2; }
};

class BEff final : public Motif {
 public:
  void check(int ranks) const override {
    require_ranks("b_eff", 2, ranks);
    if (iterations() != 1)
      reject("iterations", "the results of {} iterations would be added up; use 1 iteration and more repetitions",
             iterations());
    for (const std::int64_t ring : *rings_) {
      if (ring < 1 || ring > beff::ring_patterns) reject("rings", "{}: expected numbers from 1 to 6", ring);
    }
    if (configured_lmax() > 0 && configured_lmax() < beff::min_lmax_bytes && !sizes_.was_given())
      throw ParameterMistake("lmax",
                             fmt::format("--lmax, --memory: the longest message would have {} bytes; b_eff needs "
                                         "{}, or --sizes",
                                         configured_lmax(), beff::min_lmax_bytes));
    std::set<std::int64_t> distinct;
    for (const Bytes size : *sizes_) {
      if (size.value < 1 || !FitsMessage::holds(size))
        reject("sizes", "{}: expected 1 to 2147483647 bytes", size.value);
      if (!distinct.insert(size.value).second) reject("sizes", "{}: expected each size once", size.value);
    }
    check_buffer(std::ranges::max(sizes(assumed_lmax())));
  }

  // With --loops, the traffic without that of --extra. Otherwise as if each loop had one iteration, since the length of
  // loops depends on measured times.
  Traffic traffic(int ranks) const override {
    const std::int64_t executions = std::max<std::int64_t>(1, *loops_) + 1;  // the first is not timed
    constexpr auto methods = static_cast<std::int64_t>(all_methods.size());
    Traffic traffic;
    for (const std::int64_t messages : beff::messages_per_pattern(*rings_, polygons(), ranks)) {
      for (const std::int64_t size : sizes(assumed_lmax())) {
        const std::int64_t sent_messages = attempts() * executions * messages;
        traffic.messages += (methods - 1) * sent_messages;
        traffic.message_bytes += (methods - 1) * sent_messages * size;
        traffic.collectives += attempts() * (executions + 2 * methods);  // MPI_Alltoallv; a barrier and a reduction
        traffic.collective_bytes += sent_messages * size + attempts() * methods * ranks * std::int64_t{sizeof(double)};
      }
    }
    return traffic;
  }
  std::string quantity() const override { return "time of the benchmark"; }

  void bind(const RunContext& context) override { run_ = {context.run_id, context.launch}; }
  void decompose(const mpi::Group& group, const Draw& draws) override {
    group_ = group.duplicate();
    if (protocol_file_.was_given()) protocol_writer_.emplace(group, "protocol", *protocol_file_, run_);
    const int ranks = group.size();
    protocol_ = {};
    protocol_.ranks = ranks;
    if (configured_lmax() == 0) protocol_.memory_bytes = memory_per_rank(group).value;
    protocol_.lmax_bytes = lmax(protocol_.memory_bytes);
    protocol_.random = Spelling<Drawn>::write(*random_);
    protocol_.seed = draws.seed;
    protocol_.attempts = static_cast<int>(attempts());
    protocol_.sizes = sizes(protocol_.lmax_bytes);
    for (const Method method : all_methods) protocol_.methods.push_back(Spelling<Method>::write(method));
    beff::Patterns patterns{ranks, group.rank()};
    patterns.add_rings(*rings_);
    patterns.add_polygons(polygons(), *random_, draws);
    if (*extra_) patterns.add_extras();
    protocol_.patterns = patterns.descriptions();
    rank_patterns_ = patterns.rank_patterns();
    const std::int64_t largest_size = std::ranges::max(protocol_.sizes);
    check_buffer(largest_size);
    exchange_.emplace(group_.handle(), group.rank(), ranks, static_cast<std::size_t>(buffer_bytes(largest_size)));
    if (pingpong()) message_ = Buffer(static_cast<std::size_t>(largest_size));
    if (group.rank() == 0)
      protocol_.loops.reserve(rank_patterns_.size() * protocol_.sizes.size() * all_methods.size() *
                              static_cast<std::size_t>(attempts()));
    best_.resize(rank_patterns_.size() * protocol_.sizes.size());
  }

  void perform(Recorder& recorder) override {
    protocol_.loops.clear();
    wrong_.reset();
    protocol_.timed_s = 0;
    std::ranges::fill(best_, 0);
    const std::int64_t start_ns = recorder.now_ns();
    for (std::size_t pattern = 0; pattern < rank_patterns_.size(); ++pattern) {
      if (rank_patterns_[pattern].pingpong) {
        measure_pingpong(pattern, recorder);
      } else {
        for (const Method method : all_methods) measure(pattern, method, recorder);
      }
    }
    protocol_.elapsed_s = static_cast<double>(recorder.now_ns() - start_ns) * 1e-9;
  }

  void reduce_metrics() override {
    if (!check_all_bytes_) throw_if_wrong();
    const beff::Averages averages = beff::average(protocol_.patterns, best_);
    protocol_.b_eff_bytes_per_s = averages.all;
    b_eff_.add(averages.all);
    per_rank_.add(averages.all / protocol_.ranks);
    at_lmax_.add(averages.at_lmax);
    rings_at_lmax_.add(averages.rings_at_lmax);
    rings_mean_.add(averages.rings);
    polygons_mean_.add(averages.polygons);
    if (const std::optional<std::size_t> pattern = pingpong())
      pingpong_.add(best(*pattern, protocol_.sizes.size() - 1));
    untimed_share_.add(1 - protocol_.timed_s / protocol_.elapsed_s);
  }
  std::span<Metric* const> measured() const override {
    const auto all = metrics();
    return *extra_ ? all : all.first(all.size() - 1);
  }

  void fill_payload(std::uint64_t pass) override {
    exchange_->fill_payload(pass);
    check_all_bytes_ = true;
    pass_ = pass;
    protocol_.elapsed_s = 0;
  }
  void verify(std::uint64_t pass) const override {
    throw_if_wrong();
    exchange_->check_all(pass);
    if (protocol_.elapsed_s == 0) throw MachineFault("b_eff: nothing was received since buffers were filled");
  }

  void finish(const mpi::Group& group, int round) override {
    if (!protocol_writer_ || protocol_.elapsed_s == 0) return;
    io::on_first_rank(group, "protocol", [&] { protocol_writer_->append(beff::as_json_lines(protocol_, round)); });
  }
  std::vector<std::string> notes() const override {
    std::vector<std::string> notes;
    if (const std::string reduced = reduced_settings(); !reduced.empty())
      notes.push_back("not comparable with published b_eff: " + reduced);
    if (protocol_.timed_s < 0.5 * protocol_.elapsed_s)
      notes.push_back(fmt::format(
          "b_eff: only {:.0f} % of its time was spent in timed loops; between them, ranks waited for others",
          100 * protocol_.timed_s / protocol_.elapsed_s));
    return notes;
  }

 private:
  std::int64_t buffer_bytes(std::int64_t largest_size) const {
    return *messages_per_buffer_ * (largest_size + gap_bytes);
  }
  // Offsets in the buffer are displacements of MPI_Alltoallv.
  void check_buffer(std::int64_t largest_size) const {
    if (buffer_bytes(largest_size) <= int_max) return;
    reject("buffered", "{} messages of {} bytes need a buffer of {} bytes, longer than MPI's displacements allow ({})",
           *messages_per_buffer_, largest_size, buffer_bytes(largest_size), int_max);
  }
  std::int64_t attempts() const { return *quick_ ? 1 : *attempts_; }
  std::int64_t polygons() const { return *quick_ && !polygons_.was_given() ? 6 : *polygons_; }
  std::int64_t configured_lmax() const { return lmax_.was_given() || memory_.was_given() ? lmax(memory_->value) : 0; }
  std::int64_t lmax(std::int64_t memory_bytes) const {
    if (lmax_.was_given()) return lmax_->value;
    const std::int64_t memory = memory_.was_given() ? memory_->value : memory_bytes;
    return std::min(beff::max_message_bytes, memory / beff::memory_divisor);
  }
  std::int64_t assumed_lmax() const { return configured_lmax() > 0 ? configured_lmax() : std::int64_t{1} << 20; }
  std::vector<std::int64_t> sizes(std::int64_t lmax_bytes) const {
    if (!sizes_.was_given()) return beff::message_sizes(lmax_bytes);
    std::vector<std::int64_t> sizes;
    for (const Bytes size : *sizes_) sizes.push_back(size.value);
    return sizes;
  }
  std::string reduced_settings() const {
    if (*quick_)
      return "--quick uses fewer polygons and one measurement of each; expect a result that is a few percent lower";
    for (const Parameter* parameter : std::initializer_list<const Parameter*>{&rings_, &polygons_, &sizes_, &attempts_,
                                                                              &loops_, &messages_per_buffer_})
      if (parameter->was_given()) return fmt::format("--{} was given", parameter->name());
    return "";
  }

  // Iterations of the first loop: 300 for the shortest message of the definition; with --sizes, as many as follow from
  // the time of one.
  template <class Iterate>
  std::int64_t initial_loops(Recorder& recorder, const Iterate& iterate) {
    if (*loops_ > 0) return *loops_;
    if (!sizes_.was_given()) return beff::max_loops;
    iterate();
    group_.barrier();
    const std::int64_t start_ns = recorder.now_ns();
    iterate();
    return beff::next_loops(1, max_time_s(recorder.now_ns() - start_ns));
  }

  // Measures all sizes of a pattern by one method. The length of a loop follows from the time of the previous one.
  void measure(std::size_t pattern, Method method, Recorder& recorder) {
    std::int64_t loops = initial_loops(recorder, [&] {
      exchange_->set_pattern(rank_patterns_[pattern].rings, protocol_.sizes.front(), method);
      exchange_->perform();
    });
    for (std::size_t size = 0; size < protocol_.sizes.size(); ++size) {
      double time_s = 0;
      for (std::int64_t attempt = 0; attempt < attempts(); ++attempt) {
        exchange_->set_pattern(rank_patterns_[pattern].rings, protocol_.sizes[size], method);
        exchange_->perform();  // untimed: all ranks are present and connected
        group_.barrier();
        const std::int64_t start_ns = recorder.now_ns();
        for (std::int64_t i = 0; i < loops; ++i) exchange_->perform();
        const std::int64_t end_ns = recorder.now_ns();
        check_received();
        time_s = max_time_s(end_ns - start_ns);
        record_loop(pattern, size, static_cast<int>(method), attempt, loops, time_s);
      }
      if (*loops_ == 0) loops = beff::next_loops(loops, time_s);
    }
  }
  // Ping-pong of ranks 0 and 1, while the others wait. A round trip counts as two messages.
  void measure_pingpong(std::size_t pattern, Recorder& recorder) {
    std::int64_t loops = initial_loops(recorder, [&] { round_trip(protocol_.sizes.front()); });
    for (std::size_t size = 0; size < protocol_.sizes.size(); ++size) {
      double time_s = 0;
      for (std::int64_t attempt = 0; attempt < attempts(); ++attempt) {
        round_trip(protocol_.sizes[size]);
        group_.barrier();
        const std::int64_t start_ns = recorder.now_ns();
        for (std::int64_t i = 0; i < loops; ++i) round_trip(protocol_.sizes[size]);
        const std::int64_t end_ns = recorder.now_ns();
        time_s = max_time_s(group_.rank() < 2 ? end_ns - start_ns : 0);
        record_loop(pattern, size, -1, attempt, 2 * loops, time_s);
      }
      if (*loops_ == 0) loops = beff::next_loops(loops, time_s);
    }
  }
  void round_trip(std::int64_t size) {
    const int count = static_cast<int>(size);
    const auto send = [&](int other) {
      mpi::check(MPI_Send(message_.data(), count, MPI_BYTE, other, tag, group_.handle()), "MPI_Send");
    };
    const auto receive = [&](int other) {
      mpi::check(MPI_Recv(message_.data(), count, MPI_BYTE, other, tag, group_.handle(), MPI_STATUS_IGNORE),
                 "MPI_Recv");
    };
    if (group_.rank() == 0) send(1), receive(1);
    if (group_.rank() == 1) receive(0), send(0);
  }

  // A wrong byte is reported at the end: a rank that left earlier would leave the others waiting.
  void check_received() {
    if (wrong_) return;
    try {
      check_all_bytes_ ? exchange_->check_all(pass_) : exchange_->check();
    } catch (const WrongByte& wrong) {
      wrong_ = wrong;
    }
  }
  void throw_if_wrong() const {
    if (wrong_) throw *wrong_;
  }

  double max_time_s(std::int64_t own_ns) {
    double time_s = static_cast<double>(std::max<std::int64_t>(own_ns, 1)) * 1e-9;
    mpi::check(MPI_Allreduce(MPI_IN_PLACE, &time_s, 1, MPI_DOUBLE, MPI_MAX, group_.handle()), "MPI_Allreduce");
    return time_s;
  }
  void record_loop(std::size_t pattern, std::size_t size, int method, std::int64_t attempt, std::int64_t loops,
                   double time_s) {
    progress::advance();
    double& best = best_[pattern * protocol_.sizes.size() + size];
    best = std::max(best, beff::bandwidth(protocol_.sizes[size], protocol_.patterns[pattern].messages, loops, time_s));
    protocol_.timed_s += time_s;
    if (group_.rank() != 0) return;
    protocol_.loops.push_back({static_cast<std::int32_t>(pattern), static_cast<std::int32_t>(size), method,
                               static_cast<std::int32_t>(attempt), loops, time_s});
  }

  double best(std::size_t pattern, std::size_t size) const { return best_[pattern * protocol_.sizes.size() + size]; }
  std::optional<std::size_t> pingpong() const {
    const auto found = std::ranges::find(rank_patterns_, true, &beff::RankPattern::pingpong);
    if (found == rank_patterns_.end()) return std::nullopt;
    return static_cast<std::size_t>(found - rank_patterns_.begin());
  }
  Param<Bytes> memory_{this, "memory", Bytes{0},
                       "memory per rank; the longest message is 1/128 of it (default: detected)"};
  Param<Bytes> lmax_{this, "lmax", Bytes{0}, "the longest message, instead of --memory", FitsMessage{}};
  Param<std::vector<std::int64_t>> rings_{this, "rings", {1, 2, 3, 4, 5, 6}, "numbers of the ring patterns to measure"};
  Param<std::int64_t> polygons_{this, "polygons", 30, "random polygons", NotNegative{}, AtMost{10'000}};
  Param<Drawn> random_{this, "random", Drawn::uniform,
                       "how polygons are drawn: all orders with the same probability, or as in the original code, "
                       "which favours neighbours"};
  Param<std::vector<Bytes>> sizes_{this, "sizes", {}, "message sizes (default: the 21 of the definition)"};
  Param<std::int64_t> attempts_{this,       "best-of",
                                3,          "measurements of each pattern, size and method, of which the best counts",
                                Positive{}, AtMost{1000}};
  Param<std::int64_t> loops_{this,
                             "loops",
                             0,
                             "iterations of each timed loop; 0: 300 at first, later as many as take 2.5 to 5 ms",
                             NotNegative{},
                             AtMost{1'000'000'000}};
  Param<std::int64_t> messages_per_buffer_{
      this,         "buffered",  6, "messages in a buffer, used in turn; 2: each message uses the same memory",
      AtLeastTwo{}, AtMost{1000}};
  Param<bool> extra_{this, "extra",
                     "also measure the additional patterns of the paper, which do not contribute to the result"};
  Param<bool> quick_{this, "quick",
                     "six polygons and one measurement instead of 30 and 3: a ninth of the time, less accurate"};
  Param<std::string> protocol_file_{
      this, "protocol", "", "write the time of every loop to this file as JSON Lines; it must not exist", NotEmpty{}};

  Metric b_eff_{this, "b_eff_bytes_per_s", Better::higher, "the effective bandwidth of all ranks"};
  Metric per_rank_{this, "b_eff_per_rank_bytes_per_s", Better::higher, "the effective bandwidth per rank"};
  Metric at_lmax_{this, "b_eff_at_lmax_bytes_per_s", Better::higher,
                  "the effective bandwidth with the longest messages only"};
  Metric rings_at_lmax_{this, "rings_at_lmax_bytes_per_s", Better::higher,
                        "the effective bandwidth with the longest messages and ring patterns only"};
  Metric rings_mean_{this, "rings_bytes_per_s", Better::higher, "mean bandwidth of the ring patterns"};
  Metric polygons_mean_{this, "polygons_bytes_per_s", Better::higher, "mean bandwidth of the random polygons"};
  Metric untimed_share_{this, "untimed_share", Better::lower, "share of the time outside timed loops"};
  Metric pingpong_{this, "pingpong_at_lmax_bytes_per_s", Better::higher,
                   "ping-pong bandwidth of ranks 0 and 1 with the longest messages (--extra)"};

  mpi::Group group_;
  io::Run run_;
  std::optional<io::AppendedFile> protocol_writer_;
  beff::Protocol protocol_;
  std::vector<beff::RankPattern> rank_patterns_;
  std::optional<beff::RingExchange> exchange_;
  Buffer message_;  // of the ping-pong
  std::optional<WrongByte> wrong_;
  std::uint64_t pass_ = 0;
  bool check_all_bytes_ = false;  // checks every byte, since --verify was given
  std::vector<double> best_;      // bytes/s, by pattern and size
};

const RegisterMotif<BEff> registered{"b_eff", Family::suite,
                                     "the effective bandwidth benchmark: one number for a network",
                                     "Rabenseifner and Koniges, section 4"};

}  // namespace
}  // namespace stressbench
