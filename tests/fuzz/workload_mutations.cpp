// Mutates workloads and reads them: no crash, no hang, bounded memory. Deterministic: the same seed makes the same
// texts.
//   workload_mutations [COUNT [SEED [verbose]]]
// Data is limited to 64 MiB and processor time to a minute for each 10,000 texts, so that a text that makes the reader
// allocate without bound, or never end, ends in a failure here.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "mutator.hpp"
#include "workload_target.hpp"

namespace stressbench::workload {
namespace {

constexpr std::size_t megabyte = std::size_t{1} << 20;

using fuzz::limit_memory;
using fuzz::limit_time;
using fuzz::Mutator;

const std::vector<std::string>& seeds() {
  static const std::vector<std::string> texts = {
      "[JOB_NAME] TeaLeaf_CG\n[NID_LIST] 6,9,17,18,33,41,58,67,\n\n72,75,83,84,87,90,102,103\n[MOTIF] "
      "AllReduce\n[MOTIF] "
      "Compute -m 350000\n[MOTIF] halo2d -x 4000 -y 4000\n[MOTIF] MPIIO -s 1500000 -i 1 -m 256 -f <file_path>\n\n-n "
      "MPI_File_write_all\n",
      "# two jobs on a node\n[SET] n=0-3\n[JOB_NAME] \"a b\"\n[NID_LIST] ${n},8-30:2\n[SHARED] yes\n[RANKS_PER_NODE] "
      "4\n[LOOP] 10\n [MOTIF] allreduce --in-place -c 4\n [LOOP] 2\n  [MOTIF] compute -m 35us\n [END]\n[END]\n"
      "[JOB_NAME] b\n[NID_LIST] 2\n[SHARED] yes\n[RANKS_PER_NODE] 12\n[ROLE] background\n[MOTIF] halo2d\n",
      "[SET] size=32KiB\n[JOB_NAME] a\n[NODES] 16\n[REPEAT] 2k\n[MIN_TIME] 30s\n[MOTIF] mpiio -s ${size} -f \"/a "
      "\\\"b\"\n"
      "[JOB_NAME] b\n[NODES] 8\n[MOTIF] halo2d --columns=5\n",
      "\xEF\xBB\xBF[JOB_NAME] a\r\n[NODES] 1\r\n[MOTIF]\tallreduce\r\n[INCLUDE] part.sb\r\n"};
  return texts;
}

const std::vector<std::string>& pieces() {
  static const std::vector<std::string> words = {"[JOB_NAME] ",
                                                 "[NID_LIST] ",
                                                 "[NODES] ",
                                                 "[RANKS_PER_NODE] ",
                                                 "[SHARED] yes",
                                                 "[ROLE] background",
                                                 "[REPEAT] ",
                                                 "[MIN_TIME] ",
                                                 "[LOAD] 30%",
                                                 "[RATE] ",
                                                 "[MOTIF] ",
                                                 "[LOOP] 3",
                                                 "[END]",
                                                 "[SET] a=",
                                                 "[SET] b=${a}${a}",
                                                 "[INCLUDE] copy.sb",
                                                 "[INCLUDE] part.sb",
                                                 "${a}",
                                                 "${",
                                                 "}",
                                                 "\"",
                                                 "\\",
                                                 "#",
                                                 ",",
                                                 "-",
                                                 ":",
                                                 "=",
                                                 "\n",
                                                 "\r\n",
                                                 "\t",
                                                 " ",
                                                 "0",
                                                 "7",
                                                 "-5",
                                                 "0-2147483647",
                                                 "0-103",
                                                 "0-102:2",
                                                 "99999999999999999999",
                                                 "9223372036854775807",
                                                 "halo2d",
                                                 "mpiio",
                                                 "allreduce",
                                                 "-x",
                                                 "-m",
                                                 "--columns",
                                                 "--in-place",
                                                 "--",
                                                 "-",
                                                 "32KiB",
                                                 "1.5h",
                                                 "\xC3\xA9",
                                                 "\xE2\x80\x93",
                                                 "\xFF",
                                                 std::string(1, '\0')};
  return words;
}

std::string repeated(const std::string& piece, std::size_t bytes = megabyte) {
  std::string text;
  while (text.size() + piece.size() <= bytes) text += piece;
  return text;
}

std::string numbered(const std::function<std::string(int)>& line) {
  std::string text;
  for (int i = 0; text.size() < megabyte - 200; ++i) text += line(i);
  return text;
}

// A megabyte each, of what costs a reader most.
std::vector<std::pair<std::string, std::string>> adversaries() {
  const std::string head = "[JOB_NAME] a\n[NODES] 1\n";
  const std::string doubling = "[SET] b=${a}${a}\n[SET] a=${b}${b}\n";
  const auto line = [](const char* format) {
    return [format](int i) {
      char text[200];
      std::snprintf(text, sizeof text, format, i, i);
      return std::string(text);
    };
  };
  return {
      {"loops in loops", head + repeated("[LOOP] 2\n")},
      {"loops and their ends", head + repeated("[LOOP] 2\n", megabyte / 2) + repeated("[END]\n", megabyte / 2)},
      {"doubling variables", "[SET] a=xxxxxxxx\n" + repeated(doubling) + head},
      {"one variable everywhere",
       "[SET] a=" + std::string(60000, 'x') + "\n" + head + repeated("[MOTIF] mpiio -f ${a}\n")},
      {"many variables", numbered(line("[SET] v%d=%d\n"))},
      {"huge ranges", head + repeated("[JOB_NAME] a\n[NID_LIST] 0-2147483647\n")},
      {"large ranges", repeated("[JOB_NAME] a\n[NID_LIST] 0-1048575\n")},
      {"one list", "[JOB_NAME] a\n[NID_LIST] " + numbered(line("%d,"))},
      {"one list of one node", "[JOB_NAME] a\n[NID_LIST] " + repeated("1,")},
      {"one list with blanks", "[JOB_NAME] a\n[NID_LIST] " + repeated("1 ")},
      {"one line", repeated("x")},
      {"one name", "[JOB_NAME] " + repeated("x")},
      {"one motif", head + "[MOTIF] " + repeated("x")},
      {"one value", head + "[MOTIF] mpiio -f " + repeated("x")},
      {"one number", head + "[MOTIF] halo2d -x " + repeated("9")},
      {"one quote", head + "[MOTIF] mpiio -f \"" + repeated("\\\"")},
      {"one key", "[" + repeated("x")},
      {"brackets", repeated("[")},
      {"empty keys", repeated("[]\n")},
      {"empty lines", repeated("\n")},
      {"unknown keys", repeated("[x]\n")},
      {"mistyped keys", head + repeated("[MOTIFF] alreduce\n")},
      {"unknown motifs", head + repeated("[MOTIF] x\n")},
      {"sound motifs", head + repeated("[MOTIF] compute\n")},
      {"motifs with options", head + repeated("[MOTIF] halo2d -x 1 -y 2 -i 3\n")},
      {"options of one motif", head + "[MOTIF] halo2d " + repeated("-x 1 ")},
      {"options across lines", head + "[MOTIF] halo2d " + repeated("-x\n1\n")},
      {"long options", head + numbered(line("[MOTIF] halo2d --columns%d %d\n"))},
      {"empty jobs", repeated("[JOB_NAME] a\n")},
      {"jobs", numbered(line("[JOB_NAME] j%d\n[NID_LIST] %d\n[MOTIF] compute\n"))},
      {"jobs on one node", numbered(line("[JOB_NAME] j%d\n[NID_LIST] 0\n[MOTIF] compute\n"))},
      {"shared nodes",
       numbered(line("[JOB_NAME] j%d\n[NID_LIST] 0\n[SHARED] yes\n[RANKS_PER_NODE] 1\n[MOTIF] compute\n"))},
      {"ends", head + repeated("[END]\n")},
      {"includes of itself", repeated("[INCLUDE] copy.sb\n")},
      {"includes of parts", repeated("[INCLUDE] part.sb\n")},
      {"undefined variables", head + repeated("[MOTIF] ${x}\n")},
      {"bytes", repeated(std::string("\0\xFF\x80", 3))},
  };
}

using Seconds = std::chrono::duration<double>;

// Reads the text in a process of its own; returns its peak of resident memory in MiB.
double read_apart(const std::string& name, const std::string& text) {
  const pid_t child = fork();
  require(child >= 0, "fork failed", name);
  if (child == 0) {
    limit_memory(64 * megabyte);
    try_workload(text);
    _exit(0);
  }
  int status = 0;
  rusage usage{};
  require(wait4(child, &status, 0, &usage) == child && status == 0, "a text of 1 MiB was not read in 64 MiB", name);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void run_adversaries(bool verbose) {
  double most = 0;
  double slowest = 0;
  const auto texts = adversaries();
  const double base = read_apart("nothing", "");
  for (const auto& [name, text] : texts) {
    const auto start = std::chrono::steady_clock::now();
    const double memory = read_apart(name, text) - base;
    const double took = Seconds(std::chrono::steady_clock::now() - start).count();
    if (verbose) std::printf("  %-26s %6.2f s %6.1f MiB\n", name.c_str(), took, memory);
    slowest = std::max(slowest, took);
    most = std::max(most, memory);
  }
  std::printf("adversaries: %zu texts of 1 MiB, at most %.2f s and %.1f MiB each\n", texts.size(), slowest, most);
}

int run(std::uint64_t count, std::uint64_t seed, bool verbose) {
  for (const std::string& text : seeds()) require(try_workload(text), "a seed was refused", text);
  limit_time(count);
  run_adversaries(verbose);
  limit_memory(64 * megabyte);
  Mutator mutator(seeds(), pieces(), seed);
  const auto start = std::chrono::steady_clock::now();
  std::uint64_t accepted = 0;
  for (std::uint64_t i = 0; i < count; ++i) accepted += try_workload(mutator.next()) ? 1 : 0;
  const double took = Seconds(std::chrono::steady_clock::now() - start).count();
  std::printf("mutations: %llu in %.1f s, %llu accepted\n", static_cast<unsigned long long>(count), took,
              static_cast<unsigned long long>(accepted));
  require(count < 1000 || (accepted > count / 100 && accepted < count),
          "mutations were all accepted or nearly all refused", "");
  return 0;
}

}  // namespace
}  // namespace stressbench::workload

int main(int argc, char** argv) {
  const std::uint64_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 50'000;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  return stressbench::workload::run(count, seed, argc > 3);
}
