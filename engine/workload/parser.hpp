// The second stage of parsing: the meaning of each statement. Internal to parse.cpp and the parser_*.cpp files.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workload/limits.hpp"
#include "workload/node_list.hpp"
#include "workload/parse.hpp"
#include "workload/statement.hpp"

namespace stressbench::workload {

class Parser {
 public:
  Parser(const ReadFile& read, const std::vector<Setting>& settings) : read_(read), state_{Variables(settings), {}, 0} {
    check_settings(settings);
  }

  Parsed run(const std::string& path);

  enum class Context { anywhere, job, chain };  // where a key is allowed
  struct Key {
    std::string_view name;
    Context context;
    void (Parser::*handle)(const Statement&);
    std::string_view accepts;  // description of the key's value
  };
  static const std::vector<Key>& key_table();

 private:
  struct OpenLoop {
    Loop loop;
    std::int64_t executions = 1;  // product of the counts of this and the enclosing loops
    bool motif_seen = false;
  };

  // parse.cpp: files and statements.
  void check_settings(const std::vector<Setting>& settings);
  void read_source(const std::string& path, std::string text);
  void dispatch(Statement statement);
  const Key* find_key(Statement& statement);
  bool is_allowed(const Key& key, const Statement& statement);
  void include(const Statement& statement);
  void set(const Statement& statement);

  // parser_job.cpp: the keys of a job.
  void job_name(const Statement& statement);
  void nid_list(const Statement& statement);
  void nodes(const Statement& statement);
  void ranks_per_node(const Statement& statement);
  void repeat(const Statement& statement);
  void min_time(const Statement& statement);
  void load(const Statement& statement);
  void rate(const Statement& statement);
  void role(const Statement& statement);
  void shared(const Statement& statement);
  bool is_first_occurrence(const Statement& statement, std::optional<Position>& seen);
  bool read_node_items(const Statement& statement, std::vector<int>& nodes);
  bool read_node_item(const Word& word, std::string_view item, std::vector<int>& nodes);
  bool refuse_repeated(const std::vector<int>& nodes);
  void close_job();

  // parser_chain.cpp: the motifs of a job.
  void motif(const Statement& statement);
  void loop(const Statement& statement);
  void end(const Statement& statement);
  void close_loop();
  std::vector<Step>& open_steps() { return loops_.empty() ? job().steps : loops_.back().loop.steps; }

  // parser_values.cpp: the only word of the statement. Null, with the mistake reported, unless there is exactly one.
  const Word* only_word(const Statement& statement);
  // Sets `value` to `convert` of the only word. `convert` throws UserMistake for an invalid word, which is reported.
  template <class T, class Convert>
  void read_value(const Statement& statement, std::optional<T>& value, const Convert& convert) {
    const Word* word = only_word(statement);
    if (word == nullptr) return;
    try {
      value = static_cast<T>(convert(word->text));
    } catch (const UserMistake& mistake) {
      refuse(statement, *word, mistake.what());
    }
  }
  // The same for a key that may occur once per job.
  template <class T, class Convert>
  void read_once(const Statement& statement, std::optional<Position>& seen, std::optional<T>& value,
                 const Convert& convert) {
    if (is_first_occurrence(statement, seen)) read_value(statement, value, convert);
  }
  static std::function<std::int64_t(const std::string&)> count_up_to(std::int64_t maximum);
  std::optional<std::size_t> choice(const Statement& statement, const std::vector<std::string>& names);
  void refuse(const Statement& statement, const Word& word, std::string_view why, std::string_view hint = {});

  Position position(const Word& word) const {
    return {source_, word.line, word.column, static_cast<int>(word.raw.size())};
  }
  Position position(const Word& word, std::size_t offset, std::size_t length) const;
  void add(const Position& where, std::string_view message, std::string_view hint = {}) {
    state_.diagnostics.add(where, message, hint);
  }
  Job& job() { return workload_.jobs.back(); }

  const ReadFile& read_;
  ParseState state_;
  Workload workload_;
  std::shared_ptr<const Source> source_;  // currently read
  Position start_;
  std::vector<std::string> open_files_;  // the workload, then the includes currently read
  int sources_ = 0;
  std::size_t source_bytes_ = 0;
  std::size_t nodes_named_ = 0;
  bool in_job_ = false;
  bool outside_job_reported_ = false;  // a statement before the first job was reported
  std::vector<OpenLoop> loops_;
  std::size_t excess_loops_ = 0;  // loops beyond limits::max_loop_depth, counted to match their [END]s
};

}  // namespace stressbench::workload
