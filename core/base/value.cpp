#include "core/base/value.h"

#include <algorithm>

namespace ergode {

Value::Value(std::string text) : type_(Type::text), held_{.text = new std::string(std::move(text))} {}
Value::Value(std::string_view text) : Value(std::string(text)) {}
Value::Value(const char* text) : Value(std::string(text)) {}
Value::Value(Array list) : type_(Type::array), held_{.array = new Array(std::move(list))} {}
Value::Value(Object members) : type_(Type::object), held_{.object = new Object(std::move(members))} {}

Value::Value(std::initializer_list<Part> parts) {
  const bool pairs = std::all_of(parts.begin(), parts.end(), [](const Part& part) {
    return part.value_.is_array() && part.value_.size() == 2 && part.value_.held_.array->front().is_string();
  });
  *this = pairs ? object(parts) : array(parts);
}

Value::Value(const Value& other) : type_(other.type_), held_(other.held_) {
  switch (type_) {
    case Type::text:
      held_.text = new std::string(*other.held_.text);
      break;
    case Type::array:
      held_.array = new Array(*other.held_.array);
      break;
    case Type::object:
      held_.object = new Object(*other.held_.object);
      break;
    default:
      break;
  }
}

Value& Value::operator=(const Value& other) {
  if (this != &other) *this = Value(other);
  return *this;
}

Value& Value::operator=(Value&& other) noexcept {
  // By a third: what is assigned may be a part of what is thrown away.
  Value taken(std::move(other));
  std::swap(type_, taken.type_);
  std::swap(held_, taken.held_);
  return *this;
}

void Value::release() {
  switch (type_) {
    case Type::text:
      delete held_.text;
      break;
    case Type::array:
      delete held_.array;
      break;
    case Type::object:
      delete held_.object;
      break;
    default:
      break;
  }
}

Value Value::object(std::initializer_list<Part> members) {
  Value out(Object{});
  out.held_.object->reserve(members.size());
  for (const Part& member : members) {
    if (!member.value_.is_array() || member.value_.size() != 2) member.value_.wrong_type("a key and a value");
    Array& pair = *member.value_.held_.array;
    // The first of two equal keys counts.
    if (!out.contains(pair[0].text())) out.append(pair[0].text(), std::move(pair[1]));
  }
  return out;
}

Value Value::array(std::initializer_list<Part> entries) {
  Value out(Array{});
  out.held_.array->reserve(entries.size());
  for (const Part& entry : entries) out.held_.array->push_back(std::move(entry.value_));
  return out;
}

Value Value::discarded() {
  Value out;
  out.type_ = Type::discarded;
  return out;
}

std::size_t Value::size() const {
  switch (type_) {
    case Type::null:
      return 0;
    case Type::array:
      return held_.array->size();
    case Type::object:
      return held_.object->size();
    default:
      return 1;
  }
}

void Value::wrong_type(const char* wanted) const {
  constexpr const char* names[] = {"null",   "true or false", "a number",  "a number", "a number",
                                   "a text", "a list",        "an object", "nothing"};
  throw Exception(std::string("wanted ") + wanted + ", found " + names[static_cast<int>(type_)]);
}

bool Value::boolean() const {
  if (!is_boolean()) wrong_type("true or false");
  return held_.boolean;
}

double Value::real() const {
  switch (type_) {
    case Type::integer:
      return static_cast<double>(held_.integer);
    case Type::natural:
      return static_cast<double>(held_.natural);
    case Type::real:
      return held_.real;
    default:
      wrong_type("a number");
  }
}

std::int64_t Value::integer() const {
  switch (type_) {
    case Type::integer:
      return held_.integer;
    case Type::natural:
      return static_cast<std::int64_t>(held_.natural);
    case Type::real:
      return static_cast<std::int64_t>(held_.real);
    default:
      wrong_type("a number");
  }
}

std::uint64_t Value::natural() const {
  switch (type_) {
    case Type::integer:
      return static_cast<std::uint64_t>(held_.integer);
    case Type::natural:
      return held_.natural;
    case Type::real:
      return static_cast<std::uint64_t>(held_.real);
    default:
      wrong_type("a number");
  }
}

const std::string& Value::text() const {
  if (!is_string()) wrong_type("a text");
  return *held_.text;
}

const Value& Value::at(std::size_t index) const {
  if (!is_array()) wrong_type("a list");
  if (index >= held_.array->size()) throw Exception("the list has no entry " + std::to_string(index));
  return (*held_.array)[index];
}
Value& Value::at(std::size_t index) { return const_cast<Value&>(std::as_const(*this).at(index)); }

const Value* Value::lookup(std::string_view key) const {
  if (!is_object()) return nullptr;
  for (const Member& member : *held_.object)
    if (member.first == key) return &member.second;
  return nullptr;
}

const Value* Value::lookup_in_object(std::string_view key) const {
  if (!is_object()) wrong_type("an object");
  return lookup(key);
}

const Value& Value::at(std::string_view key) const {
  const Value* const found = lookup_in_object(key);
  if (found == nullptr) throw Exception("the key \"" + std::string(key) + "\" is missing");
  return *found;
}
Value& Value::at(std::string_view key) { return const_cast<Value&>(std::as_const(*this).at(key)); }

Value& Value::operator[](std::string_view key) {
  if (is_null()) *this = object();
  if (const Value* const found = lookup_in_object(key)) return const_cast<Value&>(*found);
  return append(std::string(key), Value());
}

Value& Value::append(std::string key, Value value) {
  if (is_null()) *this = object();
  if (!is_object()) wrong_type("an object");
  return held_.object->emplace_back(std::move(key), std::move(value)).second;
}

void Value::push_back(Value entry) {
  if (is_null()) *this = array();
  if (!is_array()) wrong_type("a list");
  held_.array->push_back(std::move(entry));
}

void Value::update(const Value& other) {
  for (const auto& [key, value] : other.items()) (*this)[key] = value;
}

std::size_t Value::erase(std::string_view key) {
  if (!is_object()) wrong_type("an object");
  return std::erase_if(*held_.object, [&](const Member& member) { return member.first == key; });
}

const Value::Object& Value::items() const {
  static const Object none;
  return is_object() ? *held_.object : none;
}

Value::Iterator Value::begin() const {
  Iterator out;
  if (is_array()) out.entry_ = held_.array->data();
  if (is_object()) out.member_ = held_.object->data();
  return out;
}
Value::Iterator Value::end() const {
  Iterator out;
  if (is_array()) out.entry_ = held_.array->data() + held_.array->size();
  if (is_object()) out.member_ = held_.object->data() + held_.object->size();
  return out;
}
Value::Iterator Value::find(std::string_view key) const {
  Iterator out = end();
  if (!is_object()) return out;
  for (const Member& member : *held_.object)
    if (member.first == key) {
      out.member_ = &member;
      break;
    }
  return out;
}
Value::MutableIterator Value::begin() { return MutableIterator(std::as_const(*this).begin()); }
Value::MutableIterator Value::end() { return MutableIterator(std::as_const(*this).end()); }

bool Value::equal(const Value& a, const Value& b) {
  if (a.type_ != b.type_) {
    if (!a.is_number() || !b.is_number()) return false;
    if (a.is_number_float() || b.is_number_float()) return a.real() == b.real();
    return a.integer() == b.integer();
  }
  switch (a.type_) {
    case Type::null:
      return true;
    case Type::boolean:
      return a.held_.boolean == b.held_.boolean;
    case Type::integer:
      return a.held_.integer == b.held_.integer;
    case Type::natural:
      return a.held_.natural == b.held_.natural;
    case Type::real:
      return a.held_.real == b.held_.real;
    case Type::text:
      return *a.held_.text == *b.held_.text;
    case Type::array:
      return *a.held_.array == *b.held_.array;
    case Type::object:
      return *a.held_.object == *b.held_.object;
    case Type::discarded:
      return false;
  }
  return false;
}

}  // namespace ergode
