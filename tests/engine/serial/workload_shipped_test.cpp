// The shipped workloads, checked against the motifs of this build.
#include <gtest/gtest.h>

#include <filesystem>

#include "motifs/motif.hpp"
#include "workload/check.hpp"
#include "workload/print.hpp"

namespace stressbench::workload {
namespace {

const std::string folder = STRESSBENCH_CHECKOUT "/workloads";

struct Shipped {
  std::string file;
  Machine machine;
  std::vector<Setting> settings;
};

class ShippedWorkload : public testing::TestWithParam<Shipped> {};

TEST_P(ShippedWorkload, FitsTheMachineThatItsHeadNames) {
  const Shipped& shipped = GetParam();
  const std::string path = folder + "/" + shipped.file;
  const auto load_shipped = [&] {
    return load(path, read_file, MotifCatalogue::instance(), shipped.machine, shipped.settings);
  };
  ASSERT_NO_THROW(load_shipped());
  const std::string printed = print(load_shipped());
  const auto broadcast = [&](const std::string&) { return printed; };
  EXPECT_EQ(load(path, broadcast, MotifCatalogue::instance(), shipped.machine), load_shipped());
}

INSTANTIATE_TEST_SUITE_P(
    All, ShippedWorkload,
    testing::Values(Shipped{"paper/listing1.sb", Machine::uniform(104, 16), {}},
                    Shipped{"paper/full-system.sb", Machine::uniform(128, 16), {}},
                    Shipped{"paper/full-system.sb", Machine::uniform(8, 2), {{"nodes", "1"}, {"cells", "500"}}},
                    Shipped{"paper/full-system.sb", Machine::uniform(128, 16), {{"traffic", "incast"}}},
                    Shipped{"paper/io-study.sb", Machine::uniform(32, 16), {}},
                    Shipped{"paper/io-study.sb", Machine::uniform(32, 16), {{"pattern", "sweep3d"}}},
                    Shipped{"paper/io-study.sb", Machine::uniform(4, 2), {{"pattern", "incast"}, {"nodes", "2"}}},
                    Shipped{"paper/io-study.sb", Machine::uniform(4, 2), {{"pattern", "alltoall"}, {"nodes", "2"}}},
                    Shipped{"paper/validation.sb", Machine::uniform(16, 16), {{"nodes", "4"}, {"sweep", "400"}}},
                    Shipped{"paper/validation.sb", Machine::uniform(32, 1), {{"elements", "10"}, {"sweep", "100"}}},
                    Shipped{"gpcnet.sb", Machine::uniform(14, 1), {}},
                    Shipped{"gpcnet.sb", Machine::uniform(76, 16), {{"tests", "4"}, {"congestors", "16"}}},
                    Shipped{"training.sb", Machine::uniform(48, 4), {}},
                    Shipped{"training.sb", Machine::uniform(6, 1), {{"nodes", "2"}, {"cells", "480"}}},
                    Shipped{"listing1-8ranks.sb", Machine::uniform(8, 1), {}},
                    Shipped{"listing1-8ranks.sb", Machine::uniform(8, 1), {{"mode", "busy"}}},
                    Shipped{"tealeaf-cg.sb", Machine::uniform(8, 1), {{"nodes", "4"}}},
                    Shipped{"tealeaf-cg.sb", Machine::uniform(4, 1), {}},
                    Shipped{"tealeaf-writer.sb", Machine::uniform(2, 2), {}},
                    Shipped{"degrade.sb", Machine::uniform(4, 1), {}},
                    Shipped{"degrade.sb", Machine::uniform(2, 1), {{"nodes", "2"}, {"pattern", "charon"}}},
                    Shipped{"demo.sb", Machine::uniform(8, 1), {}},
                    Shipped{
                        "demo.sb", Machine::uniform(4, 2), {{"solver", "2"}, {"transpose", "1"}, {"incast", "1"}}}));

TEST(WorkloadPage, NamesEveryKey) {
  const std::string page = read_file(folder + "/../docs/workload-language.md");
  for (const std::string& key : keys()) EXPECT_NE(page.find("`" + key), std::string::npos) << key;
}

}  // namespace
}  // namespace stressbench::workload
