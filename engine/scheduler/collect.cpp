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

struct HistogramSummary {
  std::int32_t step = 0;
  std::int32_t own = executions;
  double min_s = std::numeric_limits<double>::infinity();
  double sum_s = 0;
  double max_s = 0;
};

Histogram reduced(const JobGroup& job_group, const Histogram& mine) {
  Histogram sum;
  mpi::check(MPI_Reduce(mine.counts().data(), sum.counts().data(), static_cast<int>(sum.counts().size()), MPI_UINT64_T,
                        MPI_SUM, job_group.root, job_group.group->handle()),
             "MPI_Reduce");
  return sum;
}

HistogramSummary reduce_summary(const JobGroup& job_group, const HistogramRef& ref) {
  HistogramSummary sum{ref.step, ref.own};
  const Durations& mine = *ref.durations;
  if (mine.min_ns >= 0) sum.min_s = static_cast<double>(mine.min_ns) * 1e-9;
  sum.min_s = reduced(job_group, sum.min_s, MPI_MIN);
  sum.sum_s = reduced(job_group, mine.sum_ns * 1e-9, MPI_SUM);
  sum.max_s = reduced(job_group, static_cast<double>(mine.max_ns) * 1e-9, MPI_MAX);
  return sum;
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

HistogramRecord record_of(const Histogram& counts, const HistogramSummary& summary) {
  HistogramRecord record;
  record.step = summary.step;
  if (summary.own != executions) record.own = summary.own;
  record.counts = counts;
  const auto total = static_cast<double>(counts.total());
  record.min_s = summary.min_s;
  record.max_s = summary.max_s;
  record.mean_s = total > 0 ? summary.sum_s / total : 0;
  return record;
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
  for (const HistogramRef& ref : histograms) {
    const Histogram counts = reduced(job_group, ref.durations->counts);
    const HistogramSummary summary = reduce_summary(job_group, ref);
    if (keeps_result) {
      if (counts.total() > 0) own_.histograms.push_back(record_of(counts, summary));
    } else if (root) {
      channel.send(counts.counts().data(), counts.counts().size());
      channel.send(&summary, 1);
    }
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
  for (std::int64_t i = 0; i < header.histograms; ++i) {
    Histogram counts;
    HistogramSummary summary;
    channel.receive(counts.counts().data(), counts.counts().size());
    channel.receive(&summary, 1);
    if (counts.total() > 0) result.histograms.push_back(record_of(counts, summary));
  }
  result.notes = channel.receive_texts();
  return result;
}

}  // namespace stressbench::scheduler
