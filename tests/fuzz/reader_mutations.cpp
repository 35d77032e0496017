// Mutates files and reads them: taken, or refused with one message of a user's mistake; no crash, no other exception,
// bounded memory and time. Deterministic: the same seed makes the same files.
//   reader_mutations trace|run|sizes|levels|sidecar|telemetry CORPUS [COUNT [SEED]]
// Data is limited to 1 GiB and processor time to a minute for each 10,000 files.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "core/error.hpp"
#include "core/input_file.hpp"
#include "io/sidecar.hpp"
#include "motifs/motif.hpp"
#include "mutator.hpp"
#include "output/run_file.hpp"
#include "replay/preexisting_communicators.hpp"
#include "replay/replay_plan.hpp"
#include "telemetry_target.hpp"
#include "trace/excerpt.hpp"
#include "trace/gaps.hpp"
#include "trace/line.hpp"
#include "trace/program.hpp"
#include "trace/read.hpp"
#include "trace_text.hpp"

namespace stressbench::fuzz {
namespace {

namespace fs = std::filesystem;
constexpr int ranks = 2;

[[noreturn]] void fail(const std::string& what, const std::string& text) {
  std::fprintf(stderr, "%s; the file was:\n%s\n", what.c_str(), text.substr(0, 20000).c_str());
  std::abort();
}

struct Given {
  std::string option;
  std::string value;
};

void check_motif(const std::string& name, const std::vector<Given>& options) {
  const auto motif = MotifCatalogue::instance().make(name);
  for (const Given& given : options) motif->find(given.option)->parse(given.value);
  motif->check(ranks);
  (void)motif->traffic(ranks);
}

// The computation before calls, which a trace may lack and still be replayed.
void read_gaps(const std::string& path, const trace::RankRecord& record) {
  try {
    check_motif("compute", {{"gaps-from", path}});
    const std::int64_t calls = std::min<std::int64_t>(record.sequence_calls, 1000);
    (void)trace::Excerpt(record, 0, calls);
    (void)trace::Excerpt(record, calls / 2, calls - calls / 2);
  } catch (const UserMistake&) {
  }
}

void read_trace(const std::string& path) {
  check_motif("replay", {{"file", path}});
  trace::Lines lines(path);
  (void)lines.next();
  for (int rank = 0; rank < ranks; ++rank) {
    const auto line = lines.next();
    const trace::RankRecord record = trace::read_rank(lines.position(), *line, rank, ranks);
    const trace::Program program(record.rules, record.calls.size(), record.sequence_calls);
    const trace::Gaps gaps(record.gaps, record.calls.size(), GapTimes::measured, 1.0, {});
    (void)replay::preexisting_communicators_of(record);
    (void)replay::required_file_bytes(record);
    (void)replay::window_limits_of(record);
    read_gaps(path, record);
  }
}

void read_run(const std::string& path) {
  scheduler::ImpactTracker tracker;
  (void)output::read_continued_run(path, tracker);
  (void)tracker.impact(0);
}

// The files of hosts that a text holds: refused if no source has a counter, or what the command prints is wrong.
void read_telemetry(const std::string& path) {
  if (!telemetry::try_telemetry(read_file(path, std::int64_t{1} << 20))) throw UserMistake("no counters");
}

// A mutated line that is an object gets the checksum of its new bytes: what stands behind the checksum is to be tested.
std::string sealed_again(const std::string& text) {
  std::string all;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string line = text.substr(start, end - start);
    const std::size_t key = line.rfind(",\"crc32\":");
    if (key == std::string::npos) {
      all += line + (end < text.size() ? "\n" : "");
    } else {
      const std::string object = line.substr(0, key);
      all += fmt::format("{},\"crc32\":\"{:08x}\"}}\n", object, trace::checksum(object));
    }
    start = end + 1;
  }
  return all;
}

std::string as_it_is(const std::string& text) { return text; }

struct Reader {
  std::function<void(const std::string& path)> read;
  std::function<std::string(const std::string& text)> finish;  // what a mutated text needs to be read further
};

const std::map<std::string, Reader>& readers() {
  static const std::map<std::string, Reader> all{
      {"trace", {read_trace, sealed_again}},
      {"run", {read_run, as_it_is}},
      {"sizes",
       {[](const std::string& path) {
          check_motif("posix", {{"sizes-from", path}, {"transfer", "64KiB"}});
        },
        as_it_is}},
      {"levels",
       {[](const std::string& path) {
          check_motif("amg", {{"levels", path}});
        },
        as_it_is}},
      {"telemetry", {read_telemetry, as_it_is}},
      {"sidecar",
       {[](const std::string& path) { (void)io::read_sidecar(path.substr(0, path.rfind('.'))); }, as_it_is}}};
  return all;
}

std::vector<std::string> pieces() {
  return {"-1",
          "0",
          "1",
          "2147483647",
          "2147483648",
          "-2147483649",
          "9223372036854775807",
          "18446744073709551616",
          "1e300",
          "-1e300",
          "1e999",
          "0.5",
          "null",
          "true",
          "[]",
          "{}",
          "\"\"",
          "\"x\"",
          ",",
          ":",
          "[[[[[[[[",
          "]]",
          "}",
          "\n",
          "\r\n",
          "#",
          "\t",
          "\x1b[31m",
          "\xFF",
          std::string(1, '\0'),
          "1EiB",
          "99999999999GB"};
}

// A folder of this process's own, gone at the end.
class Folder {
 public:
  Folder() {
    const fs::path memory = "/dev/shm";  // no disk is to be waited for
    const fs::path where = fs::is_directory(memory) ? memory : fs::temp_directory_path();
    std::string name = (where / "stressbench-fuzz-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) fail("no folder for files", name);
    path_ = name;
  }
  ~Folder() { fs::remove_all(path_); }
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

class Trial {
 public:
  explicit Trial(const Reader& reader) : reader_(reader) {}

  // Whether the file was taken.
  bool read(const std::string& path, const std::string& text) const {
    try {
      reader_.read(path);
      return true;
    } catch (const UserMistake& mistake) {
      const std::string said = mistake.what();
      if (said.empty() || said.size() > 4000) fail("refused with a message of " + std::to_string(said.size()), text);
      return false;
    } catch (const std::exception& wrong) {
      fail(std::string("another exception: ") + wrong.what(), text);
    }
  }
  bool read_text(const std::string& text) const {
    std::ofstream(path_, std::ios::binary) << text;
    return read(path_, text);
  }

  // What is no file of data at all, or has no end.
  void refuse_hostile() const {
    const std::string pipe = folder_.file("pipe.stressbench");
    if (mkfifo(pipe.c_str(), 0600) != 0) fail("mkfifo", pipe);
    const std::string sparse = folder_.file("sparse.stressbench");
    std::ofstream(sparse, std::ios::binary) << "{";
    fs::resize_file(sparse, std::uintmax_t{1} << 36U);
    const std::string zeros = folder_.file("zero.stressbench");
    fs::create_symlink("/dev/zero", zeros);
    const std::string memory = folder_.file("memory.stressbench");
    fs::create_symlink("/proc/self/mem", memory);
    const std::string directory = folder_.file("directory.stressbench");
    fs::create_directory(directory);
    for (const std::string& path : {pipe, sparse, zeros, memory, directory}) {
      if (read(path, "")) fail("was taken", path);
    }
  }

 private:
  const Reader& reader_;
  Folder folder_;
  std::string path_ = folder_.file("x.stressbench");
};

std::vector<std::string> corpus(const std::string& folder) {
  std::vector<std::string> texts;
  for (const auto& entry : fs::directory_iterator(folder)) {
    std::ifstream file(entry.path(), std::ios::binary);
    texts.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  std::ranges::sort(texts);
  if (texts.empty()) fail("no seeds", folder);
  return texts;
}

int run(const std::string& name, const std::string& folder, std::uint64_t count, std::uint64_t seed) {
  const auto reader = readers().find(name);
  if (reader == readers().end()) fail("no such reader", name);
  const std::vector<std::string> seeds = corpus(folder);
  const Trial trial(reader->second);
  limit_memory(std::size_t{1} << 30);
  limit_time(count);
  for (const std::string& text : seeds) {
    if (!trial.read_text(text)) fail("a seed was refused", text);
  }
  trial.refuse_hostile();
  Mutator mutator(seeds, pieces(), seed);
  std::uint64_t taken = 0;
  for (std::uint64_t i = 0; i < count; ++i) taken += trial.read_text(reader->second.finish(mutator.next())) ? 1 : 0;
  std::printf("%s: %llu mutations, %llu taken\n", name.c_str(), static_cast<unsigned long long>(count),
              static_cast<unsigned long long>(taken));
  if (count >= 1000 && (taken == 0 || taken == count)) fail("mutations were all taken or all refused", "");
  return 0;
}

}  // namespace
}  // namespace stressbench::fuzz

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::uint64_t count = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 20'000;
  const std::uint64_t seed = argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 1;
  return stressbench::fuzz::run(argv[1], argv[2], count, seed);
}
