#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workload/options.hpp"
#include "workload_fixture.hpp"

namespace stressbench::workload {
namespace {

using testing::HasSubstr;

std::vector<std::pair<std::string, std::string>> options_of(const std::vector<std::string>& arguments) {
  Diagnostics diagnostics;
  const MotifCall call = call_of_command("compute", arguments, diagnostics);
  diagnostics.throw_if_any();
  std::vector<std::pair<std::string, std::string>> options;
  for (const Option& option : call.options) options.emplace_back(option.name, option.value.value_or("-"));
  return options;
}

std::string rejection(const std::vector<std::string>& arguments) {
  try {
    options_of(arguments);
  } catch (const Rejected& rejected) {
    return rejected.what();
  }
  return "";
}

using Options = std::vector<std::pair<std::string, std::string>>;

TEST(CommandOptions, AreNamesWithValues) {
  EXPECT_EQ(options_of({"-m", "350us", "--seed=4", "--flag"}),
            (Options{{"-m", "350us"}, {"seed", "4"}, {"flag", "-"}}));
}

TEST(CommandOptions, HaveNoCharactersOfSpecialMeaning) {
  EXPECT_EQ(options_of({"-f", "a \"b\" ${HOME} \\ #c"}), (Options{{"-f", "a \"b\" ${HOME} \\ #c"}}));
}

TEST(CommandOptions, TakeNegativeNumbersAndWordsWithBlanksAsValues) {
  EXPECT_EQ(options_of({"--root", "-1", "-f", "- x"}), (Options{{"root", "-1"}, {"-f", "- x"}}));
}

TEST(CommandOptions, ShowTheCommandLineWhereAWordIsNoOption) {
  const std::string message = rejection({"-m", "1us", "stray"});
  EXPECT_THAT(message, HasSubstr("command line:1:16: error: 'stray' is neither an option nor an option's value"));
  EXPECT_THAT(message, HasSubstr("  compute -m 1us stray\n"));
}

TEST(CommandOptions, AreCheckedAsThoseOfAWorkload) {
  Parsed parsed;
  Job& job = parsed.workload.jobs.emplace_back(job_of_command());
  job.steps.emplace_back(call_of_command("no_such_motif", {}, parsed.diagnostics));
  check(parsed, FakeCatalogue(), std::nullopt);
  EXPECT_EQ(parsed.diagnostics.total(), 1U);
}

}  // namespace
}  // namespace stressbench::workload
