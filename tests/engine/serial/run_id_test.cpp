#include "core/run_id.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "core/error.hpp"

namespace stressbench {
namespace {

TEST(RunId, ThatIsMadeIsUniqueAndValid) {
  std::set<std::string> made;
  for (int i = 0; i < 1000; ++i) made.insert(run_id::make());
  EXPECT_EQ(made.size(), 1000u);
  for (const std::string& id : made) EXPECT_NO_THROW(run_id::check(id)) << id;
}

TEST(RunId, IsWhatMayStandInAFileName) {
  for (const std::string& id : {std::string("a"), std::string("Run_7-b"), std::string(64, 'x')}) {
    EXPECT_NO_THROW(run_id::check(id)) << id;
  }
  for (const std::string& id : {std::string(), std::string(65, 'x'), std::string("a/b"), std::string("a b"),
                                std::string(".."), std::string("\xC3\xA4")}) {
    EXPECT_THROW(run_id::check(id), UserMistake) << id;
  }
}

}  // namespace
}  // namespace stressbench
