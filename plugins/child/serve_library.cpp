#include "plugins/child/serve_library.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <exception>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plugins/abi/ergode_plugin.h"
#include "plugins/native/load_library.h"

namespace ergode_child {
namespace {

using Json = nlohmann::json;

/// Lines from the host, as they come; lines to it, several at once.
class Channel {
 public:
  explicit Channel(int out) : out_(out) {}

  /// The next line; nothing when there will be none.
  std::optional<std::string> next() {
    for (;;) {
      if (const auto end = in_.find('\n'); end != std::string::npos) {
        std::string line = in_.substr(0, end);
        in_.erase(0, end + 1);
        return line;
      }
      if (!read_more()) return std::nullopt;
    }
  }
  /// Whether the host has said more meanwhile: while a run goes on that can only be "cancel".
  bool waiting() {
    if (!in_.empty()) return true;
    pollfd wait{0, POLLIN, 0};
    return poll(&wait, 1, 0) > 0;
  }
  void put(const std::string& line) {
    buffer_ += line;
    buffer_ += '\n';
    if (buffer_.size() > 65536) flush();
  }
  void flush() {
    for (std::size_t sent = 0; sent < buffer_.size();) {
      const ssize_t n = write(out_, buffer_.data() + sent, buffer_.size() - sent);
      if (n > 0) sent += static_cast<std::size_t>(n);
      else if (n < 0 && errno != EINTR) _exit(0);  // nobody listens
    }
    buffer_.clear();
  }

 private:
  bool read_more() {
    char bytes[65536];
    for (;;) {
      const ssize_t n = read(0, bytes, sizeof bytes);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      in_.append(bytes, static_cast<std::size_t>(n));
      return true;
    }
  }
  int out_;
  std::string in_, buffer_;
};

void append_number(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  out.append(text, end);
}

/// Texts of plugins may be anything; messages are UTF-8.
std::string quoted(const char* text) {
  return Json(text != nullptr ? text : "").dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// One library, and what was made of it.
class Library {
 public:
  explicit Library(Channel& channel) : channel_(channel) {
    host_.size = sizeof host_;
    host_.abi_minor = ERGODE_PLUGIN_ABI_MINOR;
    host_.context = this;
    host_.cancelled = [](void* self) { return static_cast<Library*>(self)->cancelled(); };
    host_.progress = [](void* self, double share) { static_cast<Library*>(self)->progress(share); };
    host_.observe = [](void* self, std::uint32_t output, const double* values, std::size_t count) {
      static_cast<Library*>(self)->observe(output, values, count);
    };
    host_.row = [](void* self, std::uint32_t table, const ergode_cell* cells, std::size_t count) {
      static_cast<Library*>(self)->row(table, cells, count);
    };
    host_.tell = [](void* self, std::int32_t severity, const char* pointer, const char* text) {
      static_cast<Library*>(self)->tell(severity, pointer, text);
    };
    host_.depart = [](void* self, std::uint64_t job, const double* attributes) {
      static_cast<Library*>(self)->depart(job, attributes);
    };
  }

  /// @returns empty, or why it cannot be used.
  std::string load(const char* path) { return ergode::load_plugin_library(path, plugin_); }

  /// Does what one message says and answers it.
  void serve(const Json& message) {
    const std::string what = message.at("message").get<std::string>();
    if (what == "start") return start(message);
    if (what == "run") return run(message);
    if (what == "create") return create(message);
    if (what == "arrive") return arrive(message);
    if (what == "advance") return advance(message);
    if (what == "finish") return finish(message.at("at").get<double>());
    if (what == "cancel") return;  // came after the run had ended
    fail("the host said \"" + what + "\", which is not known here");
  }
  void fail(const std::string& why) { channel_.put("{\"message\":\"failed\",\"text\":" + quoted(why.c_str()) + "}"); }

 private:
  void start(const Json& message) {
    numbers_.clear();
    for (const Json& one : message.at("numbers")) numbers_.push_back(one.get<double>());
    json_ = message.at("parameters").dump();
    host_.measure = nullptr;
    if (message.value("targets", false))
      host_.measure = [](void* self, const ergode_question* question, double* value) {
        return static_cast<Library*>(self)->measure(question, value);
      };
    channel_.put(std::string("{\"message\":\"ready\",\"protocol\":1,\"simulator\":") +
                 (plugin_->simulator != nullptr ? "true" : "false") +
                 ",\"station\":" + (plugin_->station != nullptr ? "true" : "false") + "}");
  }
  void take_input(const Json& message) {
    input_.size = sizeof input_;
    input_.number_count = static_cast<std::uint32_t>(numbers_.size());
    input_.numbers = numbers_.data();
    input_.json = json_.c_str(), input_.json_size = json_.size();
    input_.seed = message.at("seed").get<std::uint64_t>();
    input_.replication = message.at("replication").get<std::uint64_t>();
  }
  void run(const Json& message) {
    if (plugin_->simulator == nullptr) return fail("the library has no simulator");
    take_input(message);
    cancelled_ = false, until_look_ = 0;
    observed_.clear(), complaint_.clear();
    const std::int32_t came_to = plugin_->simulator->run(&input_, &host_);
    tell_all_observed();
    if (came_to == ERGODE_OK) channel_.put("{\"message\":\"done\"}");
    else if (came_to == ERGODE_CANCELLED) channel_.put("{\"message\":\"cancelled\"}");
    else failed("run", came_to);
  }
  void create(const Json& message) {
    if (plugin_->station == nullptr) return fail("the library has no station");
    if (station_ != nullptr) plugin_->station->destroy(station_);
    station_ = nullptr;
    take_input(message);
    observed_.clear();
    if (const std::int32_t came_to = plugin_->station->create(&input_, &host_, &station_); came_to != ERGODE_OK)
      return failed("create", came_to);
    channel_.put("{\"message\":\"next\",\"at\":null}");
  }
  void arrive(const Json& message) {
    attributes_.clear();
    for (const Json& one : message.at("attributes")) attributes_.push_back(one.get<double>());
    double next = std::numeric_limits<double>::infinity();
    const std::int32_t came_to = plugin_->station->arrive(
        station_, message.at("at").get<double>(), message.at("job").get<std::uint64_t>(), attributes_.data(), &next);
    answer_next("arrive", came_to, next);
  }
  void advance(const Json& message) {
    double next = std::numeric_limits<double>::infinity();
    const std::int32_t came_to = plugin_->station->advance(station_, message.at("at").get<double>(), &next);
    answer_next("advance", came_to, next);
  }
  void answer_next(const char* function, std::int32_t came_to, double next) {
    if (came_to != ERGODE_OK) return failed(function, came_to);
    tell_all_observed();
    std::string line = "{\"message\":\"next\",\"at\":";
    // Infinity is JSON's null; a time that is none must not look like it.
    if (std::isnan(next) || next == -std::numeric_limits<double>::infinity()) line += "\"no number\"";
    else append_number(line, next);
    channel_.put(line + "}");
  }
  void finish(double at) {
    const std::int32_t came_to = plugin_->station->finish(station_, at);
    plugin_->station->destroy(station_);
    station_ = nullptr;
    tell_all_observed();
    if (came_to == ERGODE_OK) channel_.put("{\"message\":\"done\"}");
    else failed("finish", came_to);
  }
  void failed(const char* function, std::int32_t came_to) {
    fail(complaint_.empty() ? std::string(function) + "() returned " + std::to_string(came_to) + " without a word"
                            : complaint_);
    complaint_.clear();
  }

  // What the library calls.
  std::int32_t cancelled() {
    if (cancelled_ || until_look_-- > 0) return cancelled_ ? 1 : 0;
    until_look_ = 32;
    cancelled_ = channel_.waiting();
    return cancelled_ ? 1 : 0;
  }
  void progress(double share) {
    std::string line = "{\"message\":\"progress\",\"share\":";
    append_number(line, share);
    channel_.put(line + "}");
    channel_.flush();
  }
  /// A message for many observations: single ones would cost ten times as much.
  void observe(std::uint32_t output, const double* values, std::size_t count) {
    constexpr std::uint32_t most_outputs = 100'000;  // of no manifest; the host refuses what is beyond its own
    std::vector<double>& waiting = observed_[std::min(output, most_outputs)];
    waiting.insert(waiting.end(), values, values + count);
    if (waiting.size() >= 4096) tell_observed(std::min(output, most_outputs), waiting);
  }
  void tell_observed(std::uint32_t output, std::vector<double>& values) {
    if (values.empty()) return;
    std::string line = "{\"message\":\"observe\",\"output\":" + std::to_string(output) + ",\"values\":[";
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i > 0) line += ',';
      append_number(line, values[i]);
    }
    channel_.put(line + "]}");
    values.clear();
  }
  void tell_all_observed() {
    for (auto& [output, values] : observed_) tell_observed(output, values);
  }
  void row(std::uint32_t table, const ergode_cell* cells, std::size_t count) {
    std::string line = "{\"message\":\"row\",\"table\":" + std::to_string(table) + ",\"cells\":[";
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) line += ',';
      if (cells[i].text != nullptr) line += quoted(cells[i].text);
      else append_number(line, cells[i].number);
    }
    channel_.put(line + "]}");
  }
  void tell(std::int32_t severity, const char* pointer, const char* text) {
    if (severity >= ERGODE_ERROR) complaint_ = text != nullptr ? text : "";
    const char* const word = severity >= ERGODE_ERROR ? "error" : severity == ERGODE_WARNING ? "warning" : "info";
    channel_.put(std::string("{\"message\":\"tell\",\"severity\":\"") + word + "\",\"pointer\":" + quoted(pointer) +
                 ",\"text\":" + quoted(text) + "}");
  }
  std::int32_t measure(const ergode_question* question, double* value) {
    if (!ERGODE_HAS(ergode_question, question, seed) || question->plugin == nullptr || question->output == nullptr) {
      complaint_ = "it asked another plugin without its name, an output and a seed";
      return ERGODE_FAILED;
    }
    std::string line = "{\"message\":\"measure\",\"plugin\":" + quoted(question->plugin) +
                       ",\"output\":" + quoted(question->output) + ",\"pointer\":" + quoted(question->pointer);
    for (const auto& [key, text] : {std::pair{"parameters", question->parameters}, {"files", question->files}}) {
      if (text == nullptr) continue;
      const Json object = Json::parse(text, nullptr, /*allow_exceptions=*/false);
      line += std::string(",\"") + key + "\":" +
              (object.is_discarded() ? quoted(text) : object.dump(-1, ' ', false, Json::error_handler_t::replace));
    }
    channel_.put(line + ",\"seed\":" + std::to_string(question->seed) + "}");
    channel_.flush();
    while (const auto answer = channel_.next()) {
      const Json message = Json::parse(*answer);
      const std::string what = message.at("message").get<std::string>();
      if (what == "cancel") {  // the answer comes all the same
        cancelled_ = true;
        continue;
      }
      if (what == "measured") {
        *value = message.at("value").get<double>();
        return cancelled_ ? ERGODE_CANCELLED : ERGODE_OK;
      }
      if (message.value("cancelled", false)) return ERGODE_CANCELLED;
      complaint_ = message.value("text", "");
      return ERGODE_FAILED;
    }
    _exit(0);  // nobody waits
  }
  void depart(std::uint64_t job, const double* attributes) {
    std::string line = "{\"message\":\"depart\",\"job\":" + std::to_string(job);
    if (attributes != nullptr) {
      line += ",\"attributes\":[";
      for (std::size_t i = 0; i < attributes_.size(); ++i) {
        if (i > 0) line += ',';
        append_number(line, attributes[i]);
      }
      line += ']';
    }
    channel_.put(line + "}");
  }

  Channel& channel_;
  ergode_host host_{};
  ergode_input input_{};
  const ergode_plugin* plugin_ = nullptr;
  void* station_ = nullptr;
  std::vector<double> numbers_, attributes_;
  std::string json_, complaint_;
  std::map<std::uint32_t, std::vector<double>> observed_;  ///< by output, what was not told yet
  bool cancelled_ = false;
  int until_look_ = 0;
};

}  // namespace

int serve_library(const char* path, int messages) {
  Channel channel(messages);
  Library library(channel);
  if (const std::string why = library.load(path); !why.empty()) {
    channel.next();  // the host speaks first
    library.fail(why);
    channel.flush();
    return 3;
  }
  while (const auto line = channel.next()) {
    try {
      library.serve(Json::parse(*line));
    } catch (const std::exception& thrown) {
      library.fail(std::string("an exception left the library: ") + thrown.what());
    } catch (...) {
      library.fail("an exception left the library");
    }
    channel.flush();
  }
  return 0;
}

}  // namespace ergode_child
