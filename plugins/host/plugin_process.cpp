#include "plugins/host/plugin_process.h"

#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/text.h"
#include "core/base/text_place.h"

namespace ergode {
namespace {

constexpr double infinite_time = std::numeric_limits<double>::infinity();
constexpr int protocol = 1;
/// An interpreter with its libraries may take some seconds; whoever gives calls more time gives it to the start too.
constexpr double ready_within_s = 30.0;
constexpr double cancel_grace_s = 0.5;

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

Diagnostic sentence_of(const FoundPlugin& plugin, bool is_info, std::string_view pointer, std::string_view text) {
  return {.severity = is_info ? Severity::info : Severity::warning,
          .code = "PLG026",
          .pointer = visible(pointer),
          .message = plugin.name + ": " + visible(text)};
}

std::string fault_of_cell(const PluginTable& table, std::size_t column, const ResultTable::Cell& cell) {
  const PluginTable::Column& of = table.columns[column];
  const auto* const text = std::get_if<std::string>(&cell);
  // The first row of such a table names its columns.
  if (text != nullptr ? of.text || table.first_row_names : !of.text || !std::isfinite(std::get<double>(cell)))
    return {};
  const std::string seen =
      text != nullptr ? "text '" + quotable(*text) + "'" : "number " + number_text(std::get<double>(cell));
  return "gave a row of " + table.name + " with the " + seen + " in column " + of.label + ", which holds " +
         (of.text ? "texts" : "numbers");
}

PluginProcess::PluginProcess(const FoundPlugin& plugin, Capability capability, PluginInput input, Limits limits)
    : plugin_(plugin), capability_(capability), input_(std::move(input)), limits_(limits) {}

void PluginProcess::fail(const char* code, const std::string& what, const std::string& hint) {
  child_.kill();
  std::string message = "The plugin " + plugin_.name + " " + what;
  if (!doing_.empty()) message += " " + doing_;
  message += ".";
  if (const std::string_view words = trim(child_.last_words()); !words.empty()) {
    constexpr std::size_t most = 300;
    message += " It said last: " + std::string(words.size() > most ? "..." : "") +
               visible(words.substr(words.size() > most ? words.size() - most : 0));
  }
  throw PluginFailure({.code = code, .message = message, .hint = hint});
}

void PluginProcess::gone() {
  const std::string how = child_.end_text();
  fail("PLG020", how.empty() ? "ended" : how,
       "The process of the plugin is gone; nothing else is affected. Report it to whoever made the plugin.");
}

void PluginProcess::give(PluginInput input) {
  input_ = std::move(input);
  introduced_ = false;
  // What a program does when it is started a second time nobody has promised; libraries do not see it.
  if (!plugin_.native()) child_.finish(0.2);
}

void PluginProcess::start() {
  if (child_.running() && introduced_) return;
  doing_ = "when it was started";
  const auto begin = std::chrono::steady_clock::now();
  if (!child_.running()) launch();
  introduce();
  introduced_ = true;
  doing_.clear();
  start_s_ = seconds_since(begin);
}

void PluginProcess::launch() {
  const std::string host = plugin_host_program();
  if (host.empty())
    fail("PLG005", "cannot be started, because ergode-plugin-host is not there",
         "It belongs beside the program ergode.");
  std::vector<std::string> words = {host, plugin_.native() ? "library" : "command"};
  for (const std::string& word : plugin_.program()) words.push_back(word);
  if (const std::string why = child_.start(words); !why.empty()) fail("PLG005", "cannot be started (" + why + ")");
}

void PluginProcess::introduce() {
  Value message = {{"message", "start"},
                   {"protocol", protocol},
                   {"capability", capability_ == Capability::simulator ? "simulator" : "station"},
                   {"parameters", input_.json},
                   {"numbers", Value(input_.numbers)}};
  if (offers_targets_) message["targets"] = true;
  const double time_s = limits_.time_s;
  limits_.time_s = std::max(ready_within_s, time_s);
  try {
    say(message.dump(-1, Value::BadText::replace));
    const Value ready = answer(nullptr);
    limits_.time_s = time_s;
    if (ready.value("message", "") != "ready")
      fail("PLG022", "answered \"" + quotable(ready.value("message", "")) + "\"; wanted \"ready\"");
    // Who says nothing of it means the first.
    if (const auto spoken = ready.find("protocol"); spoken != ready.end() && *spoken != Value(protocol))
      fail("PLG011", "speaks protocol " + quotable(spoken->dump()) + "; wanted " + std::to_string(protocol));
    const char* const what = capability_ == Capability::simulator ? "simulator" : "station";
    if (ready.contains(what) && ready.at(what) == Value(false))
      fail("PLG011", std::string("has no ") + what + ", although its manifest says so");
  } catch (const PluginGaveUp&) {
    limits_.time_s = time_s;
    doing_.clear();
    child_.kill();  // half started: the next call starts another
    throw;
  } catch (PluginFailure& failure) {
    limits_.time_s = time_s;
    // Whatever kept it from being ready: it cannot be used.
    if (failure.what_happened.code == "PLG023") failure.what_happened.code = "PLG005";
    throw;
  }
}

// An answer too many would be taken for the next one.
void PluginProcess::expect_silence() {
  while (child_.receive(line_, 0.0) == ChildProcess::Got::line)
    if (line_.find("\"progress\"") == std::string::npos)
      fail("PLG022", "said \"" + quotable(line_.substr(0, 80)) + "\" although it was asked nothing");
}

void PluginProcess::say(const std::string& line) {
  expect_silence();
  if (child_.send(line, limits_.time_s)) return;
  const std::string how = child_.end_text();
  if (child_.running()) fail("PLG021", "did not read its input within " + number_text(limits_.time_s, 4) + " s");
  fail("PLG020", how);
}

const std::vector<PluginOutput>& PluginProcess::outputs() const {
  return capability_ == Capability::simulator ? plugin_.manifest->simulator->outputs
                                              : plugin_.manifest->station->outputs;
}

std::size_t PluginProcess::index_of(const Value& message, const char* key, std::size_t size,
                                    const std::function<std::string(std::size_t)>& name) {
  const auto found = message.find(key);
  if (found != message.end()) {
    if (found->is_number_unsigned() && found->natural() < size) return found->natural();
    if (found->is_number_integer() && !found->is_number_unsigned() && found->integer() >= 0 &&
        static_cast<std::uint64_t>(found->integer()) < size)
      return static_cast<std::size_t>(found->integer());
    if (found->is_string())
      for (std::size_t i = 0; i < size; ++i)
        if (name(i) == found->text()) return i;
  }
  fail("PLG022", std::string("named the ") + key + " " +
                     (found == message.end() ? "nothing" : quotable(found->dump(-1, Value::BadText::replace))) +
                     ", which its manifest does not have");
}

void PluginProcess::hear(const Value& message, const std::string& what, PluginListener* listener) {
  if (what == "progress" || listener == nullptr) return;
  if (what == "observe") {
    const auto& all = outputs();
    const std::size_t output = index_of(message, "output", all.size(), [&](std::size_t i) { return all[i].name; });
    const auto list = message.find("values");
    if (list == message.end() || !list->is_array())
      fail("PLG022", "observed " + all[output].name + " without a list of values");
    values_.clear();
    for (std::size_t i = 0; i < list->size(); ++i) {
      const Value& one = list->at(i);
      if (!one.is_number() || !std::isfinite(one.real()))
        fail("PLG022", "observed " + quotable(one.dump(-1, Value::BadText::replace)) + " as " + all[output].name +
                           "; wanted a finite number");
      const double x = one.real();
      const PluginOutput& spec = all[output];
      if ((spec.minimum && x < *spec.minimum) || (spec.maximum && x > *spec.maximum))
        fail("PLG022", "observed " + number_text(x, 12) + " as " + spec.name + "; its manifest says from " +
                           (spec.minimum ? number_text(*spec.minimum) : "any number") + " to " +
                           (spec.maximum ? number_text(*spec.maximum) : "any number"));
      values_.push_back(x);
    }
    return listener->observe(output, values_);
  }
  if (what == "row") {
    const auto& all =
        capability_ == Capability::simulator ? plugin_.manifest->simulator->tables : plugin_.manifest->station->tables;
    const std::size_t table = index_of(message, "table", all.size(), [&](std::size_t i) { return all[i].name; });
    const auto cells = message.find("cells");
    if (cells == message.end() || !cells->is_array() || cells->size() != all[table].columns.size())
      fail("PLG022", "gave a row of " + all[table].name + " that has not as many cells as columns (" +
                         std::to_string(all[table].columns.size()) + ")");
    std::vector<ResultTable::Cell> row;
    for (std::size_t i = 0; i < cells->size(); ++i) {
      const Value& one = cells->at(i);
      if (one.is_string()) row.emplace_back(one.text());
      else if (one.is_number()) row.emplace_back(one.real());
      else row.emplace_back(std::numeric_limits<double>::quiet_NaN());
      if (const std::string why = fault_of_cell(all[table], i, row.back()); !why.empty()) fail("PLG022", why);
    }
    return listener->row(table, std::move(row));
  }
  if (what == "tell") {
    const auto word = [&](const char* key) {
      const auto found = message.find(key);
      return found != message.end() && found->is_string() ? found->text() : std::string();
    };
    return listener->told(
        sentence_of(plugin_, message.value("severity", "info") == "info", word("pointer"), word("text")));
  }
  if (what == "depart" && capability_ == Capability::station) {
    const auto job = message.find("job");
    if (job == message.end() || !job->is_number_integer() || job->real() < 0.0)
      fail("PLG022", "let somebody leave who has no number");
    const auto list = message.find("attributes");
    values_.clear();
    const bool changed = list != message.end() && list->is_array();
    if (changed) {
      if (list->size() != plugin_.manifest->station->attributes.size())
        fail("PLG022", "gave " + std::to_string(list->size()) + " attributes; its manifest has " +
                           std::to_string(plugin_.manifest->station->attributes.size()));
      for (std::size_t i = 0; i < list->size(); ++i) {
        if (!list->at(i).is_number()) fail("PLG022", "gave an attribute that is no number");
        values_.push_back(list->at(i).real());
      }
    }
    return listener->departed(job->natural(), values_, changed);
  }
  fail("PLG022", "said \"" + quotable(what) + "\", which means nothing here");
}

double PluginProcess::ask_target(const Value& message, PluginListener* listener, bool gives_up) {
  if (!offers_targets_ || listener == nullptr)
    fail("PLG022",
         "asked another plugin for a measurement; wanted that of simulators alone whose manifest says "
         "\"measures_targets\", and not of one that is measured itself");
  const auto begin = std::chrono::steady_clock::now();
  TargetQuestion question;
  const auto text = [&](const char* key, bool required) {
    const auto found = message.find(key);
    if (found != message.end() && found->is_string()) return found->text();
    if (required) fail("PLG022", std::string("asked another plugin without a text \"") + key + "\"");
    return std::string();
  };
  const auto object = [&](const char* key) {
    const auto found = message.find(key);
    if (found == message.end() || found->is_null()) return Value::object();
    if (!found->is_object())
      fail("PLG022", std::string("asked another plugin with \"") + key + "\" " +
                         quotable(found->dump(-1, Value::BadText::replace)) + "; wanted an object");
    return *found;
  };
  question.plugin = text("plugin", true), question.output = text("output", true);
  question.pointer = visible(text("pointer", false));
  question.parameters = object("parameters"), question.files = object("files");
  const auto seed = message.find("seed");
  if (seed == message.end() || !seed->is_number_integer() || seed->real() < 0.0 || seed->real() >= 9007199254740992.0)
    fail("PLG022", "asked another plugin without a seed from 0 to 2^53 - 1");
  question.seed = seed->natural();
  Value reply = {{"message", "unmeasured"}, {"text", "nobody waits for it any more"}, {"cancelled", true}};
  if (!gives_up) try {
      reply = {{"message", "measured"}, {"value", listener->measure(question)}};
    } catch (const PluginGaveUp&) {
      // It hears of it as of any cancel.
    } catch (const PluginFailure& failure) {
      of_target_ = failure.what_happened;
      told_of_target_ = of_target_->message;
      reply = {{"message", "unmeasured"}, {"text", told_of_target_}};
    }
  if (!child_.send(reply.dump(-1, Value::BadText::replace), limits_.time_s)) gone();
  return seconds_since(begin);
}

/// What a target did is what happened; the asker may have words of its own about it.
void PluginProcess::fail_for_target(const std::string& own_words) {
  child_.kill();
  Diagnostic what = *std::exchange(of_target_, std::nullopt);
  if (!own_words.empty() && own_words.find(told_of_target_) == std::string::npos)
    what.message += " " + plugin_.name + " then said: " + visible(own_words);
  if (!doing_.empty()) what.message += " That was " + doing_ + " of " + plugin_.name + ".";
  throw PluginFailure(what);
}

Value PluginProcess::answer(PluginListener* listener) {
  const auto begin = std::chrono::steady_clock::now();
  std::uint64_t bytes_before = child_.bytes_received();
  double of_others_s = 0.0;  // while it waited for targets, which have limits of their own
  of_target_.reset();
  constexpr double look_every_s = 0.1;
  std::optional<double> told_to_stop;
  bool had_ended = false;
  for (;;) {
    const double waited = seconds_since(begin) - of_others_s;
    if (give_up_ && !told_to_stop && give_up_()) {
      told_to_stop = waited;
      child_.send("{\"message\":\"cancel\"}", 0.1);
    }
    if (told_to_stop && waited - *told_to_stop > cancel_grace_s) {
      child_.kill();
      throw PluginGaveUp{};
    }
    if (waited > limits_.time_s)
      fail("PLG021", "did not come to an end within " + number_text(limits_.time_s, 4) + " s",
           "--time-limit gives it longer; its manifest says how long it usually has.");
    if (child_.bytes_received() - bytes_before > limits_.bytes)
      fail("PLG024", "said more than " + number_text(static_cast<double>(limits_.bytes) / 1048576.0, 4) + " MiB");
    const double left = std::min(look_every_s, limits_.time_s - waited + 1e-3);
    switch (child_.receive(line_, left)) {
      case ChildProcess::Got::nothing:
        // What it wrote before its end was read, and what it started may hold its output open.
        if (had_ended && !told_to_stop) gone();
        had_ended = child_.has_ended();
        continue;
      case ChildProcess::Got::too_long:
        fail("PLG024", "wrote a line of more than " + std::to_string(ChildProcess::longest_line >> 20U) + " MiB");
      case ChildProcess::Got::ended:
        if (!told_to_stop) gone();
        child_.kill();
        throw PluginGaveUp{};
      case ChildProcess::Got::line:
        break;
    }
    const Value message = Value::parse_or_discard(line_);
    const auto what = message.is_object() ? message.find("message") : message.end();
    if (!message.is_object() || what == message.end() || !what->is_string())
      fail("PLG022", "wrote \"" + quotable(line_) + "\"; wanted a JSON object with \"message\"",
           "Its standard output is for messages alone: whatever else it prints belongs to standard error.");
    const std::string& word = what->text();
    if (word == "measure") {
      of_others_s += ask_target(message, listener, told_to_stop.has_value());
      bytes_before += line_.size() + 1;
      continue;
    }
    if (word == "failed") {
      const auto found = message.find("text");
      const std::string text = found != message.end() && found->is_string() ? found->text() : "";
      if (of_target_) fail_for_target(text);
      // The process may be in any state after that.
      fail("PLG023", "reported a failure" + (text.empty() ? std::string() : " (" + visible(text) + ")"));
    }
    if (word == "cancelled" && told_to_stop) throw PluginGaveUp{};
    if (word == "done" || word == "cancelled" || word == "next" || word == "ready") return message;
    try {
      hear(message, word, listener);
    } catch (const Value::Exception& wrong) {
      fail("PLG022", std::string("sent a message with a value of another type (") + wrong.what() + ")");
    }
  }
}

void PluginProcess::run(std::uint64_t replication, std::uint64_t seed, PluginListener& listener) {
  if (plugin_.manifest->one_run_per_process) child_.finish(0.2);
  start();
  doing_ = "in replication " + std::to_string(replication) + " (seed " + std::to_string(seed) + ")";
  say("{\"message\":\"run\",\"replication\":" + std::to_string(replication) + ",\"seed\":" + std::to_string(seed) +
      "}");
  const Value end = answer(&listener);
  if (const std::string& word = end.at("message").text(); word != "done")
    fail("PLG022", "answered \"" + word + "\" to a run; wanted \"done\"");
  if (!of_target_) return;
  of_target_->severity = Severity::warning;  // it went on without that answer
  listener.told(*std::exchange(of_target_, std::nullopt));
}

void PluginProcess::create(std::uint64_t replication, std::uint64_t seed, PluginListener& listener) {
  if (plugin_.manifest->one_run_per_process) child_.finish(0.2);
  start();
  doing_ = "in replication " + std::to_string(replication) + " (seed " + std::to_string(seed) + ")";
  say("{\"message\":\"create\",\"replication\":" + std::to_string(replication) + ",\"seed\":" + std::to_string(seed) +
      "}");
  if (next_time(0.0, &listener) != infinite_time) fail("PLG022", "wants to go on before anybody arrived");
}

double PluginProcess::next_time(double now, PluginListener* listener) {
  const Value message = answer(listener);
  const auto at = message.find("at");
  if (message.at("message").text() != "next" || at == message.end())
    fail("PLG022", "did not say when to go on; wanted \"next\" with \"at\"");
  if (at->is_null()) return infinite_time;
  if (!at->is_number() || !std::isfinite(at->real()) || at->real() < now)
    fail("PLG025", "wants to go on at " + quotable(at->dump(-1, Value::BadText::replace)) + " s, when it is " +
                       number_text(now, 12) + " s; wanted a time from now on, or null");
  return at->real();
}

double PluginProcess::arrive(double now, std::uint64_t job, std::span<const double> attributes,
                             PluginListener& listener) {
  std::string line =
      "{\"message\":\"arrive\",\"at\":" + number_text(now) + ",\"job\":" + std::to_string(job) + ",\"attributes\":[";
  for (std::size_t i = 0; i < attributes.size(); ++i) line += (i > 0 ? "," : "") + number_text(attributes[i]);
  say(line + "]}");
  return next_time(now, &listener);
}

double PluginProcess::advance(double now, PluginListener& listener) {
  say("{\"message\":\"advance\",\"at\":" + number_text(now) + "}");
  return next_time(now, &listener);
}

void PluginProcess::finish(double now, PluginListener& listener) {
  say("{\"message\":\"finish\",\"at\":" + number_text(now) + "}");
  const Value end = answer(&listener);
  if (end.at("message").text() != "done") fail("PLG022", "did not answer the end of the replication with \"done\"");
}

}  // namespace ergode
