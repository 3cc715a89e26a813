#include "core/format/json_text.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "core/base/text_place.h"

namespace ergode {
namespace {

using Json = nlohmann::json;

/// Walks over the text and leaves behind how far the parser has come: its events have no places.
class Watched {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  Watched(const char* at, const char** seen) : at_(at), seen_(seen) {}
  reference operator*() const { return *at_; }
  Watched& operator++() {
    *seen_ = ++at_;
    return *this;
  }
  friend bool operator==(const Watched& a, const Watched& b) { return a.at_ == b.at_; }

 private:
  const char* at_;
  const char** seen_;
};

/// Builds the value. Objects are appended to behind the back of their look-up, which is linear in the number of keys.
class Builder {
 public:
  Builder(std::string_view text, const char*& seen, Diagnostics& problems)
      : text_(text), seen_(seen), problems_(problems) {}

  Value take() { return std::move(root_); }

  bool null() { return put(Value()) != nullptr; }
  bool boolean(bool value) { return put(Value(value)) != nullptr; }
  bool number_integer(Json::number_integer_t value) { return put(Value(value)) != nullptr; }
  bool number_unsigned(Json::number_unsigned_t value) { return put(Value(value)) != nullptr; }
  bool number_float(Json::number_float_t value, const std::string& written) {
    const std::string_view digits = std::string_view(written).substr(0, written.find_first_of("eE"));
    if (value == 0.0 && digits.find_first_of("123456789") != std::string_view::npos)
      return refuse("FMT002", "Not JSON: the number " + quotable(written) + " is too small to be held apart from 0",
                    offset() - std::min(offset(), written.size()));
    return put(Value(value)) != nullptr;
  }
  bool string(std::string& value) { return put(Value(std::move(value))) != nullptr; }
  bool binary(Json::binary_t&) { return false; }
  bool start_object(std::size_t) { return open(Value::object()); }
  bool start_array(std::size_t) { return open(Value::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& name) {
    Level& level = levels_.back();
    const Members& members = level.value->items();
    bool twice = false;
    if (members.size() < few) {
      for (const auto& member : members) twice = twice || member.first == name;
    } else {
      if (level.keys.empty())
        for (const auto& member : members) level.keys.insert(member.first);
      twice = !level.keys.insert(name).second;
    }
    if (twice) refuse("FMT004", "The key \"" + quotable(name) + "\" stands twice in one object", key_begin());
    level.next = &level.value->append(std::move(name), Value());
    return true;
  }
  bool parse_error(std::size_t byte, const std::string&, const Json::exception& error) {
    std::string what = error.what();
    // Behind the place, which is told in our own words, stands what was read and what was wanted.
    if (const auto place = what.find(": ");
        what.find("parse error at") != std::string::npos && place != std::string::npos)
      what = what.substr(place + 2);
    else if (const auto end = what.find("] "); end != std::string::npos) what = what.substr(end + 2);
    while (what.ends_with('.')) what.pop_back();
    return refuse("FMT002", "Not JSON: " + quotable(what, 160), byte > 0 ? byte - 1 : 0);
  }

 private:
  using Members = Value::Object;
  static constexpr std::size_t few = 12;
  struct Level {
    Value* value;
    Value* next;  ///< of an object: what its last key stands for
    std::unordered_set<std::string> keys;
  };

  std::size_t offset() const { return static_cast<std::size_t>(seen_ - text_.data()); }
  /// Offset of the key that was just read, back from its closing quotation mark.
  std::size_t key_begin() const {
    std::size_t at = text_.rfind('"', offset() - 1);
    while (at != std::string_view::npos && at > 0) {
      at = text_.rfind('"', at - 1);
      std::size_t slashes = 0;
      while (at != std::string_view::npos && slashes < at && text_[at - slashes - 1] == '\\') ++slashes;
      if (slashes % 2 == 0) break;
    }
    return at == std::string_view::npos ? 0 : at;
  }
  bool refuse(const char* code, const std::string& message, std::size_t at) {
    if (problems_.size() >= most_problems) return false;
    const TextPlace place = place_of(text_, at);
    const std::string line = std::to_string(place.line), column = std::to_string(place.column);
    problems_.push_back({.code = code, .message = message + " (line " + line + ", column " + column + ")."});
    return false;
  }
  Value* put(Value value) {
    if (levels_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    const Level& level = levels_.back();
    if (level.next != nullptr) {
      *level.next = std::move(value);
      return level.next;
    }
    level.value->push_back(std::move(value));
    return &level.value->back();
  }
  bool open(Value container) {
    if (levels_.size() >= deepest_json)
      return refuse("FMT003", "Nested deeper than " + std::to_string(deepest_json) + " levels", offset() - 1);
    // A parent does not grow while its child is open, so the address holds.
    Value* const value = put(std::move(container));
    levels_.push_back({value, nullptr, {}});
    return true;
  }
  bool close() {
    levels_.pop_back();
    return true;
  }

  static constexpr std::size_t most_problems = 50;
  std::string_view text_;
  const char*& seen_;
  Diagnostics& problems_;
  Value root_ = Value::discarded();
  std::vector<Level> levels_;
};

}  // namespace

Value parse_json_text(std::string_view text, Diagnostics& problems) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  Diagnostics own;
  const char* seen = text.data();
  Builder builder(text, seen, own);
  Json::sax_parse(Watched(text.data(), &seen), Watched(text.data() + text.size(), &seen), &builder);
  Value out = builder.take();
  if (has_errors(own)) out = Value::discarded();
  problems.insert(problems.end(), own.begin(), own.end());
  return out;
}

}  // namespace ergode
