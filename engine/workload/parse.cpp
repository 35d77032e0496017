#include "workload/parse.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/input_file.hpp"
#include "core/input_limits.hpp"
#include "core/suggest.hpp"
#include "core/utf8.hpp"
#include "workload/parser.hpp"
#include "workload/text.hpp"

namespace stressbench::workload {
namespace {

std::string too_large() {
  return "a workload with its includes may have " + std::to_string(limits::max_source_bytes >> 10U) + " KiB";
}

Position position_of(const std::shared_ptr<const Source>& source, std::size_t offset) {
  const std::string_view before = std::string_view(source->text).substr(0, offset);
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return {source, static_cast<int>(std::ranges::count(before, '\n')) + 1, static_cast<int>(offset - line_start) + 1, 1};
}

}  // namespace

std::string read_file(const std::string& path) {
  return stressbench::read_file(path, input_limits::max_workload_bytes);
}

Parsed parse(const std::string& path, const ReadFile& read, const std::vector<Setting>& settings) {
  return Parser(read, settings).run(path);
}

std::vector<std::string> keys() {
  std::vector<std::string> names;
  for (const auto& key : Parser::key_table()) names.push_back("[" + std::string(key.name) + "]");
  return names;
}

const std::vector<Parser::Key>& Parser::key_table() {
  static const std::vector<Key> table = {
      {"JOB_NAME", Context::anywhere, &Parser::job_name, "a name"},
      {"NID_LIST", Context::job, &Parser::nid_list, "nodes such as 0-3,8,10-30:2"},
      {"NODES", Context::job, &Parser::nodes, "a number of nodes such as 16"},
      {"RANKS_PER_NODE", Context::job, &Parser::ranks_per_node, "a number of ranks such as 4"},
      {"SHARED", Context::job, &Parser::shared, "yes or no"},
      {"ROLE", Context::job, &Parser::role, "measured or congestor"},
      {"REPEAT", Context::job, &Parser::repeat, "a number of repetitions such as 100"},
      {"MIN_TIME", Context::job, &Parser::min_time, "a duration such as 30s"},
      {"LOAD", Context::job, &Parser::load, "a share of the time such as 30%"},
      {"RATE", Context::job, &Parser::rate, "bytes per second and rank, such as 100MB"},
      {"MOTIF", Context::chain, &Parser::motif, "a motif's name and its options"},
      {"LOOP", Context::chain, &Parser::loop, "a number of passes such as 10"},
      {"END", Context::chain, &Parser::end, "nothing"},
      {"SET", Context::anywhere, &Parser::set, "name=value"},
      {"INCLUDE", Context::anywhere, &Parser::include, "a file's path"},
  };
  return table;
}

Parsed Parser::run(const std::string& path) {
  Parsed parsed;
  try {
    workload_.path = path;
    open_files_.push_back(std::filesystem::path(path).lexically_normal().string());
    read_source(path, read_(path));
    close_job();
    for (const Setting& setting : state_.variables.unused()) {
      add({}, "--set " + setting.name + "=...: this workload has no variable " + in_quotes(setting.name),
          suggestion(setting.name, state_.variables.names()));
    }
  } catch (const LimitExceeded&) {
    parsed.complete = false;
  }
  parsed.start = start_;
  parsed.workload = std::move(workload_);
  parsed.diagnostics = std::move(state_.diagnostics);
  return parsed;
}

void Parser::check_settings(const std::vector<Setting>& settings) {
  for (const Setting& setting : settings) {
    const bool is_invalid = find_bad_byte(setting.value) || setting.value.find_first_of("\r\n") != std::string::npos;
    if (is_invalid) add({}, "--set " + setting.name + ": the value must be one line of text");
    if (setting.origin == Setting::Origin::command_line &&
        with_environment(setting.value, settings).find("${") != std::string::npos) {
      add({}, "--set " + setting.name + ": no variable can stand for " + in_quotes(setting.value),
          "accepted: text, with ${SCRATCH} and ${TMPDIR} where the environment has them");
    }
  }
}

void Parser::read_source(const std::string& path, std::string text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  source_bytes_ += text.size();
  const bool fits = source_bytes_ <= limits::max_source_bytes;
  auto source = std::make_shared<Source>(Source{path, fits ? std::move(text) : std::string(), sources_++});
  if (source->order == 0) start_ = {source, 0, 0, 0};
  if (!fits) {
    add({source, 0, 0, 0}, too_large());
    throw LimitExceeded{};
  }
  if (const auto bad = find_bad_byte(source->text)) {
    add(position_of(source, bad->offset), bad->why);
    throw LimitExceeded{};
  }
  const auto outer = std::exchange(source_, source);
  StatementReader statements(source_, state_);
  while (auto statement = statements.next()) dispatch(std::move(*statement));
  source_ = outer;
}

void Parser::dispatch(Statement statement) {
  const Key* key = find_key(statement);
  if (key != nullptr && is_allowed(*key, statement)) (this->*key->handle)(statement);
}

// Finds the key of the statement. An unknown key is reported and treated as the most similar known one, to avoid
// follow-up errors.
const Parser::Key* Parser::find_key(Statement& statement) {
  const auto& table = key_table();
  const auto find = [&](std::string_view name) -> const Key* {
    const auto found = std::ranges::find(table, name, &Key::name);
    return found == table.end() ? nullptr : &*found;
  };
  if (const Key* key = find(statement.key)) return key;
  std::vector<std::string> names;
  for (const Key& key : table) names.emplace_back(key.name);
  const auto near = nearest(statement.key, names);
  std::string hint = near ? "did you mean [" + *near + "]?" : "accepted:";
  for (const Key& key : table) hint += near ? "" : " [" + std::string(key.name) + "]";
  add(statement.where, "[" + utf8::shortened(statement.key, 60) + "] is not a key", hint);
  if (!near) return nullptr;
  statement.key = *near;
  return find(*near);
}

bool Parser::is_allowed(const Key& key, const Statement& statement) {
  if (key.context == Context::anywhere) return true;
  if (in_job_) {
    if (key.context == Context::job && !loops_.empty()) {
      add(statement.where, "[" + std::string(key.name) + "] is inside a [LOOP]",
          "inside a loop: [MOTIF], [LOOP], [END], [SET], [INCLUDE]");
    }
    return true;
  }
  if (!outside_job_reported_) {
    add(statement.where, "[" + std::string(key.name) + "] is before the first [JOB_NAME]");
  }
  outside_job_reported_ = true;
  return false;
}

void Parser::set(const Statement& statement) {
  const Word* word = only_word(statement);
  if (word == nullptr) return;
  const std::size_t equals = word->text.find('=');
  const std::string name = word->text.substr(0, equals);
  if (equals == std::string::npos || !is_variable_name(name)) {
    return refuse(statement, *word, "must be name=value", "a name has letters, digits and underscores");
  }
  std::string value = word->text.substr(equals + 1);
  if (word->raw.find("${" + name + "}") != std::string_view::npos) {
    return refuse(statement, *word, "is defined by itself");
  }
  if (value.size() > limits::max_value_bytes) {
    return refuse(statement, *word, "is longer than " + std::to_string(limits::max_value_bytes >> 10U) + " KiB");
  }
  state_.variables.set(name, value);
}

void Parser::include(const Statement& statement) {
  const Word* word = only_word(statement);
  if (word == nullptr) return;
  const auto folder = std::filesystem::path(source_->path).parent_path();
  const std::string path = (folder / word->text).lexically_normal().string();
  const auto open = std::ranges::find(open_files_, path);
  if (open != open_files_.end()) {
    std::string cycle;
    for (auto file = open; file != open_files_.end(); ++file) cycle += *file + " -> ";
    return refuse(statement, *word, "includes itself", cycle + path);
  }
  if (open_files_.size() > static_cast<std::size_t>(limits::max_include_depth)) {
    return refuse(statement, *word, "is more than " + std::to_string(limits::max_include_depth) + " includes deep");
  }
  if (sources_ > limits::max_includes) {
    refuse(statement, *word, "is one of more than " + std::to_string(limits::max_includes) + " includes");
    throw LimitExceeded{};
  }
  std::string text;
  try {
    text = read_(path);
  } catch (const UserMistake& mistake) {
    return add(position(*word), mistake.what());
  }
  open_files_.push_back(path);
  read_source(path, std::move(text));
  open_files_.pop_back();
}

}  // namespace stressbench::workload
