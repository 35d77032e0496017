#include "scheduler/collect.hpp"

#include <algorithm>
#include <limits>

#include "mpi/merge_operation.hpp"

namespace stressbench::scheduler {
namespace {

constexpr int tag = 7;
constexpr std::size_t block_cells = 4096;
constexpr std::int32_t executions = -1;  // HistogramRef::own of the histogram of a step's executions

struct Cell {
  double min = std::numeric_limits<double>::infinity();
  double sum = 0;
  double max = -std::numeric_limits<double>::infinity();
  std::int32_t slowest = -1;
  std::int32_t lowest = -1;
  std::int32_t rank_count = 0;

  void merge(const Cell& other) noexcept {
    if (other.min < min || (other.min == min && other.lowest < lowest)) {
      min = other.min;
      lowest = other.lowest;
    }
    sum += other.sum;
    if (other.max > max || (other.max == max && other.slowest < slowest)) {
      max = other.max;
      slowest = other.slowest;
    }
    rank_count += other.rank_count;
  }
};

// For each column, whether this rank's values count.
std::vector<bool> timed_columns(const Chain& chain) {
  std::vector<bool> timed{true};
  for (const ChainStep& step : chain.steps()) timed.push_back(step.motif->is_timed());
  for (const ChainStep& step : chain.steps())
    timed.insert(timed.end(), step.motif->measured().size(), step.motif->is_timed());
  return timed;
}

Spread spread_of(const Cell& cell) {
  if (cell.rank_count == 0) return {};
  return {cell.min, cell.sum / cell.rank_count, cell.max, cell.slowest, cell.lowest};
}

// A histogram of the chain: of a step's executions, or one of the motif's own.
struct HistogramRef {
  std::int32_t step = 0;
  std::int32_t own = executions;
  const Durations* durations = nullptr;
};

std::vector<HistogramRef> histograms_of(const Chain& chain) {
  std::vector<HistogramRef> all;
  for (std::size_t i = 0; i < chain.steps().size(); ++i) {
    const ChainStep& step = chain.steps()[i];
    const auto number = static_cast<std::int32_t>(i);
    all.push_back({number, executions, &step.durations});
    std::int32_t own = 0;
    for (const MotifHistogram* histogram : step.motif->histograms()) {
      all.push_back({number, own++, &histogram->durations()});
    }
  }
  return all;
}

struct ResultHeader {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t histograms = 0;
  std::int64_t stride = 1;
  std::int64_t extra_stride = 1;
  std::array<std::int64_t, 3> repetitions{};
};

// A histogram of all ranks, without its counts. Only the buckets from the first to the last that is not empty are sent:
// all of them take 35 KiB, which a job of many short steps would send for each of them after every round.
struct HistogramSummary {
  std::int32_t step = 0;
  std::int32_t own = executions;
  std::int32_t first_bucket = Histogram::buckets;
  std::int32_t last_bucket = -1;
  double min_s = std::numeric_limits<double>::infinity();
  double sum_s = 0;
  double max_s = 0;

  bool empty() const noexcept { return last_bucket < first_bucket; }
  std::size_t buckets() const noexcept {
    return empty() ? 0 : static_cast<std::size_t>(last_bucket - first_bucket + 1);
  }

  void merge(const HistogramSummary& other) noexcept {
    first_bucket = std::min(first_bucket, other.first_bucket);
    last_bucket = std::max(last_bucket, other.last_bucket);
    min_s = std::min(min_s, other.min_s);
    sum_s += other.sum_s;
    max_s = std::max(max_s, other.max_s);
  }
};

HistogramSummary summary_of(const HistogramRef& ref) {
  HistogramSummary summary{ref.step, ref.own};
  const Durations& mine = *ref.durations;
  const std::span<const std::uint64_t> counts = mine.counts.counts();
  const auto filled = [](std::uint64_t count) { return count > 0; };
  const auto first = std::ranges::find_if(counts, filled);
  if (first == counts.end()) return summary;
  const auto last = std::ranges::find_if(counts.rbegin(), counts.rend(), filled);
  summary.first_bucket = static_cast<std::int32_t>(first - counts.begin());
  summary.last_bucket = static_cast<std::int32_t>(counts.rend() - last) - 1;
  if (mine.min_ns >= 0) summary.min_s = static_cast<double>(mine.min_ns) * 1e-9;
  summary.sum_s = mine.sum_ns * 1e-9;
  summary.max_s = static_cast<double>(mine.max_ns) * 1e-9;
  return summary;
}

std::vector<HistogramSummary> reduce_summaries(const JobGroup& job_group, const std::vector<HistogramRef>& histograms) {
  std::vector<HistogramSummary> mine(histograms.size());
  std::ranges::transform(histograms, mine.begin(), summary_of);
  return mpi::MergeOperation<HistogramSummary>{}.reduce_to_all(mine, *job_group.group);
}

// The sums of the buckets of all histograms, one histogram after the other. Only the root has them.
std::vector<std::uint64_t> reduce_counts(const JobGroup& job_group, const std::vector<HistogramRef>& histograms,
                                         const std::vector<HistogramSummary>& summaries) {
  const bool root = job_group.group->rank() == job_group.root;
  std::vector<std::uint64_t> sums;
  std::vector<std::uint64_t> block;
  std::vector<std::uint64_t> block_sums;
  block.reserve(block_cells);
  const auto reduce_block = [&] {
    block_sums.resize(block.size());
    mpi::check(MPI_Reduce(block.data(), block_sums.data(), static_cast<int>(block.size()), MPI_UINT64_T, MPI_SUM,
                          job_group.root, job_group.group->handle()),
               "MPI_Reduce");
    if (root) sums.insert(sums.end(), block_sums.begin(), block_sums.end());
    block.clear();
  };
  for (std::size_t i = 0; i < histograms.size(); ++i) {
    if (summaries[i].empty()) continue;
    const std::span<const std::uint64_t> counts = histograms[i].durations->counts.counts();
    for (std::int32_t bucket = summaries[i].first_bucket; bucket <= summaries[i].last_bucket; ++bucket) {
      block.push_back(counts[static_cast<std::size_t>(bucket)]);
      if (block.size() == block_cells) reduce_block();
    }
  }
  if (!block.empty()) reduce_block();
  return sums;
}

// Messages between a job's root and world rank 0.
class RootChannel {
 public:
  RootChannel(const mpi::Group& world, int peer) : world_(world), peer_(peer) {}
  template <class T>
  void send(const T* values, std::size_t count) const {
    mpi::check(MPI_Send(values, static_cast<int>(count * sizeof(T)), MPI_BYTE, peer_, tag, world_.handle()),
               "MPI_Send");
  }
  template <class T>
  void receive(T* values, std::size_t count) const {
    mpi::check(
        MPI_Recv(values, static_cast<int>(count * sizeof(T)), MPI_BYTE, peer_, tag, world_.handle(), MPI_STATUS_IGNORE),
        "MPI_Recv");
  }

  void send(const std::vector<std::string>& texts) const {
    const std::size_t count = texts.size();
    send(&count, 1);
    for (const std::string& text : texts) {
      const std::size_t size = text.size();
      send(&size, 1);
      send(text.data(), size);
    }
  }
  std::vector<std::string> receive_texts() const {
    std::size_t count = 0;
    receive(&count, 1);
    std::vector<std::string> texts(count);
    for (std::string& text : texts) {
      std::size_t size = 0;
      receive(&size, 1);
      text.resize(size);
      receive(text.data(), size);
    }
    return texts;
  }

 private:
  const mpi::Group& world_;
  int peer_;
};

HistogramRecord record_of(const HistogramSummary& summary, std::span<const std::uint64_t> counts) {
  HistogramRecord record;
  record.step = summary.step;
  if (summary.own != executions) record.own = summary.own;
  std::ranges::copy(counts, record.counts.counts().begin() + summary.first_bucket);
  record.min_s = summary.min_s;
  record.max_s = summary.max_s;
  record.mean_s = summary.sum_s / static_cast<double>(record.counts.total());
  return record;
}

// `counts`: of all histograms that are not empty, one after the other.
std::vector<HistogramRecord> records_of(const std::vector<HistogramSummary>& summaries,
                                        std::span<const std::uint64_t> counts) {
  std::vector<HistogramRecord> records;
  for (const HistogramSummary& summary : summaries) {
    if (summary.empty()) continue;
    records.push_back(record_of(summary, counts.first(summary.buckets())));
    counts = counts.subspan(summary.buckets());
  }
  return records;
}

}  // namespace

double reduced(const JobGroup& job_group, double value, MPI_Op operation) {
  double result = value;
  mpi::check(MPI_Reduce(&value, &result, 1, MPI_DOUBLE, operation, job_group.root, job_group.group->handle()),
             "MPI_Reduce");
  return result;
}

void Collection::contribute(const JobGroup& job_group, const SampleBuffer& samples, const Chain& chain) {
  const bool root = job_group.group->rank() == job_group.root;
  const bool keeps_result = root && world_.rank() == 0;
  const RootChannel channel{world_, 0};
  const std::vector<HistogramRef> histograms = histograms_of(chain);
  own_ = Result{};
  ResultHeader header{
      static_cast<std::int64_t>(samples.heads().size()),
      static_cast<std::int64_t>(samples.columns()),
      static_cast<std::int64_t>(histograms.size()),
      samples.stride(Phase::measured),
      samples.stride(Phase::extra),
      {samples.repetitions(Phase::warmup), samples.repetitions(Phase::measured), samples.repetitions(Phase::extra)}};
  if (keeps_result) {
    own_.heads = samples.heads();
    own_.repetitions = header.repetitions;
    own_.stride = header.stride;
    own_.extra_stride = header.extra_stride;
  } else if (root) {
    channel.send(&header, 1);
    channel.send(samples.heads().data(), samples.heads().size());
  }
  const mpi::MergeOperation<Cell> reduction;
  const std::vector<bool> timed = timed_columns(chain);
  const std::span<const double> values = samples.values();
  std::vector<Cell> cells;
  std::vector<Cell> result;
  for (std::size_t start = 0; start < values.size(); start += block_cells) {
    cells.assign(std::min(block_cells, values.size() - start), Cell{});
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const double value = values[start + i];
      if (timed[(start + i) % samples.columns()]) cells[i] = {value, value, value, world_.rank(), world_.rank(), 1};
    }
    reduction.reduce(cells, result, *job_group.group, job_group.root);
    if (keeps_result) {
      for (const Cell& cell : result) own_.cells.push_back(spread_of(cell));
    } else if (root) {
      channel.send(result.data(), result.size());
    }
  }
  const std::vector<HistogramSummary> summaries = reduce_summaries(job_group, histograms);
  const std::vector<std::uint64_t> counts = reduce_counts(job_group, histograms, summaries);
  if (keeps_result) {
    own_.histograms = records_of(summaries, counts);
  } else if (root) {
    channel.send(summaries.data(), summaries.size());
    for (std::size_t start = 0; start < counts.size(); start += block_cells)
      channel.send(counts.data() + start, std::min(block_cells, counts.size() - start));
  }
  if (keeps_result) {
    own_.notes = chain.notes();
  } else if (root) {
    channel.send(chain.notes());
  }
}

Collection::Result Collection::receive(const Source& source) {
  if (source.root_world_rank == 0) return std::move(own_);
  const RootChannel channel{world_, source.root_world_rank};
  ResultHeader header;
  channel.receive(&header, 1);
  Result result;
  result.repetitions = header.repetitions;
  result.stride = header.stride;
  result.extra_stride = header.extra_stride;
  result.heads.resize(static_cast<std::size_t>(header.rows));
  channel.receive(result.heads.data(), result.heads.size());
  const auto total = static_cast<std::size_t>(header.rows * header.columns);
  std::vector<Cell> cells;
  for (std::size_t start = 0; start < total; start += block_cells) {
    cells.resize(std::min(block_cells, total - start));
    channel.receive(cells.data(), cells.size());
    for (const Cell& cell : cells) result.cells.push_back(spread_of(cell));
  }
  std::vector<HistogramSummary> summaries(static_cast<std::size_t>(header.histograms));
  channel.receive(summaries.data(), summaries.size());
  std::size_t buckets = 0;
  for (const HistogramSummary& summary : summaries) buckets += summary.buckets();
  std::vector<std::uint64_t> counts(buckets);
  for (std::size_t start = 0; start < buckets; start += block_cells)
    channel.receive(counts.data() + start, std::min(block_cells, buckets - start));
  result.histograms = records_of(summaries, counts);
  result.notes = channel.receive_texts();
  return result;
}

}  // namespace stressbench::scheduler
