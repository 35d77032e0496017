// lustre: what a client read from and wrote to each Lustre file system, and its calls (`lctl get_param llite.*.stats`).
#include <array>

#include "telemetry/source.hpp"

namespace stressbench::telemetry {
namespace {

// The first is that of older clients; the second is readable by root only.
constexpr std::array places{"proc/fs/lustre/llite", "sys/kernel/debug/lustre/llite"};
constexpr std::array calls{"open", "close", "fsync", "getattr", "setattr", "unlink", "mkdir", "rmdir", "rename"};

class Lustre final : public Source {
 public:
  explicit Lustre(const FileTree& tree) : tree_(tree) {}

  Reading read() override {
    Reading reading;
    for (const char* place : places) {
      for (const std::string& mount : tree_.names(place)) {
        const auto text = tree_.text(std::filesystem::path(place) / mount / "stats");
        if (text) append_mount(reading, *text, mount);
      }
      if (!reading.empty()) break;
    }
    return reading;
  }

 private:
  // Lines "read_bytes 5 samples [bytes] 4096 1048576 5242880 ..." (number, minimum, maximum, sum) and "open 2 samples
  // [usec] ...". A call that was never made has no line, which is 0.
  static void append_mount(Reading& reading, std::string_view text, const std::string& mount) {
    std::uint64_t bytes_read = 0;
    std::uint64_t bytes_written = 0;
    std::uint64_t metadata_calls = 0;
    bool is_statistics = false;
    for (const std::string_view line : lines_of(text)) {
      const auto words = words_of(line);
      if (words.empty()) continue;
      if (words[0] == "snapshot_time") is_statistics = true;
      if (words.size() < 3 || words[2] != "samples") continue;
      if (words[0] == "read_bytes" && words.size() > 6) bytes_read = leading_number(words[6]).value_or(0);
      if (words[0] == "write_bytes" && words.size() > 6) bytes_written = leading_number(words[6]).value_or(0);
      for (const char* call : calls) {
        if (words[0] == call) metadata_calls += leading_number(words[1]).value_or(0);
      }
    }
    if (!is_statistics) return;
    reading.push_back({"read_bytes", mount, CounterUnit::bytes, bytes_read});
    reading.push_back({"written_bytes", mount, CounterUnit::bytes, bytes_written});
    reading.push_back({"metadata_calls", mount, CounterUnit::events, metadata_calls});
  }

  FileTree tree_;
};

const RegisterSource<Lustre> registered{"lustre", "bytes and metadata calls of Lustre clients",
                                        "/proc/fs/lustre or /sys/kernel/debug/lustre"};

}  // namespace
}  // namespace stressbench::telemetry
