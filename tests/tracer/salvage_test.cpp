// stressbench-trace-salvage, started as users start it.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>

#include "folder_test.hpp"
#include "recording.hpp"

namespace stressbench::trace {
namespace {

namespace fs = std::filesystem;

class Salvage : public test::FolderTest {
 protected:
  void SetUp() override {
    const auto recording = std::make_unique<Recording>();
    recording->start();
    recording->header.ranks = 1;
    // With names that fill their fields a trace is longer than `ulimit -f 1`: 512 or 1024 bytes.
    Header& header = recording->header;
    std::memset(header.program, 'x', sizeof header.program - 1);
    std::memset(header.library, 'x', sizeof header.library - 1);
    put("pool", {reinterpret_cast<const char*>(recording.get()), sizeof(Recording)});
    ASSERT_EQ(chmod(path("pool").c_str(), 0600), 0);
  }

  // Saves the pool in the file `trace`, after the command `before` in the same shell. Returns the status.
  int save(const std::string& before = "true") const {
    const std::string program = STRESSBENCH_SALVAGE;
    const std::string command =
        before + "; exec '" + program + "' '" + path("trace") + "' '" + path("pool") + "' 2>'" + path("messages") + "'";
    const int ended = std::system(command.c_str());
    return WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
  }
};

TEST_F(Salvage, what_could_not_be_written_as_a_whole_can_be_tried_again) {
  // The counters of a build for coverage do not fit either: they are written beside, and complaints are dropped.
  EXPECT_EQ(save("export GCOV_ERROR_FILE=/dev/null GCOV_PREFIX='" + path("gcov") + "'; ulimit -f 1"), 3);
  EXPECT_EQ(content_of("messages"), "stressbench-trace-salvage: " + path("trace") + ": File too large\n");
  EXPECT_FALSE(fs::exists(path("trace")));
  EXPECT_EQ(save(), 0) << content_of("messages");
  EXPECT_NE(content_of("trace").find("\"type\":\"end\""), std::string::npos);
}

TEST_F(Salvage, a_file_of_others_stays) {
  put("trace", "mine");
  EXPECT_EQ(save(), 2);
  EXPECT_EQ(content_of("trace"), "mine");
}

}  // namespace
}  // namespace stressbench::trace
