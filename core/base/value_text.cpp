#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/value.h"

namespace ergode {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::size_t deepest_value = 1000;  // values are copied and thrown away by recursion

/// What the parser of the library calls. Objects look their keys up: of two equal ones the last counts.
class ValueBuilder {
 public:
  Value take() { return std::move(root_); }

  bool null() { return put(Value()); }
  bool boolean(bool x) { return put(x); }
  bool number_integer(OrderedJson::number_integer_t x) { return put(x); }
  bool number_unsigned(OrderedJson::number_unsigned_t x) { return put(x); }
  bool number_float(OrderedJson::number_float_t x, const std::string&) { return put(x); }
  bool string(std::string& text) { return put(std::move(text)); }
  bool binary(OrderedJson::binary_t&) { return false; }
  bool start_object(std::size_t) { return open(Value::object()); }
  bool start_array(std::size_t) { return open(Value::array()); }
  bool key(std::string& name) {
    open_.back().key = std::move(name);
    return true;
  }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool parse_error(std::size_t, const std::string&, const OrderedJson::exception& error) {
    throw Value::Exception(error.what());
  }

 private:
  struct Open {
    Value value;
    std::string key;  ///< of an object: whose value comes next
  };

  bool put(Value value) {
    if (open_.empty()) root_ = std::move(value);
    else if (open_.back().value.is_array()) open_.back().value.push_back(std::move(value));
    else open_.back().value[open_.back().key] = std::move(value);
    return true;
  }
  bool open(Value container) {
    if (open_.size() >= deepest_value)
      throw Value::Exception("parse error: nested deeper than " + std::to_string(deepest_value) + " levels");
    open_.push_back({std::move(container), {}});
    return true;
  }
  bool close() {
    Value done = std::move(open_.back().value);
    open_.pop_back();
    return put(std::move(done));
  }

  Value root_;
  std::vector<Open> open_;
};

OrderedJson to_json(const Value& value) {
  switch (value.type()) {
    case Value::Type::boolean:
      return value.boolean();
    case Value::Type::integer:
      return value.integer();
    case Value::Type::natural:
      return value.natural();
    case Value::Type::real:
      return value.real();
    case Value::Type::text:
      return value.text();
    case Value::Type::array: {
      OrderedJson::array_t out;
      out.reserve(value.size());
      for (const Value& entry : value) out.push_back(to_json(entry));
      return out;
    }
    case Value::Type::object: {
      // Behind the back of its look-up, which is linear: the keys are different.
      OrderedJson out = OrderedJson::object();
      auto& members = static_cast<OrderedJson::object_t::Container&>(out.get_ref<OrderedJson::object_t&>());
      members.reserve(value.size());
      for (const auto& [key, member] : value.items()) members.emplace_back(key, to_json(member));
      return out;
    }
    case Value::Type::discarded:
      return OrderedJson(OrderedJson::value_t::discarded);
    case Value::Type::null:
      break;
  }
  return nullptr;
}

/// In one line. The library's own tree is made of one list or object without further ones at a time: a table of
/// millions of rows would stand in memory twice.
void append_text(const Value& value, OrderedJson::error_handler_t bad, std::string& out) {
  const auto text = [bad](const OrderedJson& one) { return one.dump(-1, ' ', false, bad); };
  const auto deep = [](const Value& entry) { return entry.is_structured(); };
  const char* between = "";
  if (value.is_array() && std::any_of(value.begin(), value.end(), deep)) {
    out += '[';
    for (const Value& entry : value) out += between, append_text(entry, bad, out), between = ",";
    out += ']';
  } else if (value.is_object() && std::any_of(value.begin(), value.end(), deep)) {
    out += '{';
    for (const auto& [key, member] : value.items()) {
      (out += between) += text(key) + ":", between = ",";
      append_text(member, bad, out);
    }
    out += '}';
  } else {
    out += text(to_json(value));
  }
}

}  // namespace

Value Value::parse(std::string_view text) {
  ValueBuilder builder;
  OrderedJson::sax_parse(text, &builder);
  return builder.take();
}

Value Value::parse_or_discard(std::string_view text) {
  try {
    return parse(text);
  } catch (const Exception&) {
    return discarded();
  }
}

std::string Value::dump(int indent, BadText bad) const {
  using Handler = OrderedJson::error_handler_t;
  try {
    const Handler handler = bad == BadText::replace ? Handler::replace : Handler::strict;
    if (indent >= 0) return to_json(*this).dump(indent, ' ', false, handler);
    std::string out;
    append_text(*this, handler, out);
    return out;
  } catch (const OrderedJson::exception& problem) {
    throw Exception(problem.what());
  }
}

}  // namespace ergode
