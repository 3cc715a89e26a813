#pragma once
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace ergode {

/// What JSON can say (RFC 8259): null, a truth value, a number, a text, a list, an object. Objects keep the order in
/// which their keys were written; looking a key up is linear in their number. Whole numbers are held as such: those
/// without a sign as `natural`, others as `integer`; all others as doubles.
///
/// Everything that allocates is compiled once, in value.cpp: this header is included by nearly every file, and the
/// library that reads and writes the text (nlohmann::json) by two: value_text.cpp and core/format/json_text.cpp.
class Value {
 public:
  enum class Type : std::uint8_t { null, boolean, integer, natural, real, text, array, object, discarded };
  using Member = std::pair<std::string, Value>;
  using Array = std::vector<Value>;
  using Object = std::vector<Member>;

  /// A text that is not JSON, or a value of another type or without the key that was asked for.
  struct Exception : std::runtime_error {
    using std::runtime_error::runtime_error;
  };

  class Part;
  class Iterator;

  Value() = default;
  Value(std::nullptr_t) {}
  template <std::same_as<bool> Bool>
  Value(Bool x) : type_(Type::boolean), held_{.boolean = x} {}
  template <std::signed_integral Whole>
  Value(Whole x) : type_(Type::integer), held_{.integer = x} {}
  template <std::unsigned_integral Whole>
  requires(!std::same_as<Whole, bool>) Value(Whole x) : type_(Type::natural), held_{.natural = x} {}
  Value(double x) : type_(Type::real), held_{.real = x} {}
  Value(std::string text);
  Value(std::string_view text);
  Value(const char* text);
  Value(Array list);
  Value(Object members);
  /// Of any list or map whose entries have values.
  template <class List>
  requires requires(const List& list) {
    typename List::value_type;
    list.begin();
    requires !std::convertible_to<const List&, std::string_view>;
    requires !std::same_as<List, Array> && !std::same_as<List, Object> && !std::same_as<List, Value>;
  }
  Value(const List& list);
  /// {{"a", 1}, {"b", 2}}: an object when each part is a list of two that begins with a text; otherwise a list.
  Value(std::initializer_list<Part> parts);
  Value(const Value& other);
  Value(Value&& other) noexcept : type_(other.type_), held_(other.held_) { other.type_ = Type::null; }
  Value& operator=(const Value& other);
  Value& operator=(Value&& other) noexcept;
  ~Value() {
    if (owns()) release();
  }

  static Value object(std::initializer_list<Part> members = {});
  static Value array(std::initializer_list<Part> entries = {});
  /// What stands for a text that could not be read.
  static Value discarded();

  /// Reads JSON in UTF-8. Of a key that stands twice the last value counts.
  /// @throws Exception  with line and column when the text is not JSON, or nested deeper than 1,000 levels.
  static Value parse(std::string_view text);
  /// The same; discarded() instead of the exception.
  static Value parse_or_discard(std::string_view text);

  enum class BadText { refuse, replace };
  /// JSON text. Numbers are written with the fewest digits that read back the same; infinities and NaN as null.
  /// @param indent  spaces for each level; negative: all in one line.
  /// @param bad     texts that are not UTF-8: refused, or their bytes replaced by U+FFFD.
  /// @throws Exception  for texts that are not UTF-8, unless they are replaced.
  std::string dump(int indent = -1, BadText bad = BadText::refuse) const;

  Type type() const { return type_; }
  bool is_null() const { return type_ == Type::null; }
  bool is_boolean() const { return type_ == Type::boolean; }
  bool is_number() const { return is_number_integer() || is_number_float(); }
  bool is_number_integer() const { return type_ == Type::integer || type_ == Type::natural; }
  bool is_number_unsigned() const { return type_ == Type::natural; }
  bool is_number_float() const { return type_ == Type::real; }
  bool is_string() const { return type_ == Type::text; }
  bool is_array() const { return type_ == Type::array; }
  bool is_object() const { return type_ == Type::object; }
  bool is_structured() const { return is_array() || is_object(); }
  bool is_discarded() const { return type_ == Type::discarded; }

  /// Entries or members; 0 of null, 1 of everything else.
  std::size_t size() const;
  bool empty() const { return size() == 0; }

  /// What is held. Numbers are converted into each other. @throws Exception  for other types.
  template <class T>
  T get() const {
    if constexpr (std::same_as<T, Value>) return *this;
    else if constexpr (std::same_as<T, bool>) return boolean();
    else if constexpr (std::same_as<T, std::string>) return text();
    else if constexpr (std::floating_point<T>) return static_cast<T>(real());
    else if constexpr (std::unsigned_integral<T>) return static_cast<T>(natural());
    else return static_cast<T>(integer());
  }
  bool boolean() const;
  double real() const;
  std::int64_t integer() const;
  std::uint64_t natural() const;
  const std::string& text() const;

  /// A list's entries. @throws Exception  when this is none, or has no such entry.
  Value& at(std::size_t index);
  const Value& at(std::size_t index) const;
  /// The last entry. @throws Exception  when there is none.
  Value& back() { return at(size() - 1); }
  /// The value of a key. @throws Exception  when this is no object, or has no such key.
  Value& at(std::string_view key);
  const Value& at(std::string_view key) const;
  template <std::integral Index>
  Value& operator[](Index index) {
    return at(static_cast<std::size_t>(index));
  }
  template <std::integral Index>
  const Value& operator[](Index index) const {
    return at(static_cast<std::size_t>(index));
  }
  /// The value of a key, which is made where it is missing; null becomes an object. @throws Exception  for other types.
  Value& operator[](std::string_view key);
  const Value& operator[](std::string_view key) const { return at(key); }
  bool contains(std::string_view key) const { return lookup(key) != nullptr; }
  /// The value of a key, or `otherwise` where it is missing. @throws Exception  when this is no object, or the value of
  /// another type.
  template <class T>
  T value(std::string_view key, const T& otherwise) const {
    const Value* const found = lookup_in_object(key);
    return found != nullptr ? found->get<T>() : otherwise;
  }
  std::string value(std::string_view key, const char* otherwise) const { return value(key, std::string(otherwise)); }

  /// Appends to a list; null becomes one. @throws Exception  for other types.
  void push_back(Value entry);
  /// Appends a member without looking whether its key is there: for whoever knows. @returns the value.
  Value& append(std::string key, Value value);
  /// Sets each member of another object.
  void update(const Value& other);
  /// @returns how many members went: 0 or 1.
  std::size_t erase(std::string_view key);

  /// Of an object in the order of its keys; none of other types.
  const Object& items() const;

  /// Entries of a list, values of an object.
  Iterator begin() const;
  Iterator end() const;
  /// end() where the key is missing or this is no object.
  Iterator find(std::string_view key) const;
  class MutableIterator;
  MutableIterator begin();
  MutableIterator end();

  /// Equal types and contents; numbers by what they are worth, objects with their keys in the same order.
  friend bool operator==(const Value& a, const Value& b) { return equal(a, b); }

 private:
  static bool equal(const Value& a, const Value& b);
  bool owns() const { return type_ == Type::text || is_structured(); }
  void release();
  const Value* lookup(std::string_view key) const;
  const Value* lookup_in_object(std::string_view key) const;
  [[noreturn]] void wrong_type(const char* wanted) const;

  union Held {
    bool boolean;
    std::int64_t integer;
    std::uint64_t natural;
    double real;
    std::string* text;
    Array* array;
    Object* object;
  };
  Type type_ = Type::null;
  Held held_{.integer = 0};
};

/// One of the values between braces: held until the value is made of them, and then moved.
class Value::Part {
 public:
  template <class T>
  requires(!std::same_as<std::remove_cvref_t<T>, Part> && std::constructible_from<Value, T&&>) Part(T&& x)
      : value_(std::forward<T>(x)) {}
  Part(std::initializer_list<Part> parts) : value_(parts) {}

 private:
  friend class Value;
  mutable Value value_;
};

/// Over values; in an object key() is that of the value. Holds until the container changes.
class Value::Iterator {
 public:
  using value_type = Value;
  using difference_type = std::ptrdiff_t;

  Iterator() = default;
  const Value& operator*() const { return member_ != nullptr ? member_->second : *entry_; }
  const Value* operator->() const { return &**this; }
  const std::string& key() const { return member_->first; }
  Iterator& operator++() {
    if (member_ != nullptr) ++member_;
    else ++entry_;
    return *this;
  }
  Iterator operator++(int) {
    const Iterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const Iterator&, const Iterator&) = default;

 private:
  friend class Value;
  const Value* entry_ = nullptr;
  const Member* member_ = nullptr;
};

class Value::MutableIterator {
 public:
  explicit MutableIterator(Iterator at) : at_(at) {}
  Value& operator*() const { return const_cast<Value&>(*at_); }
  Value* operator->() const { return &**this; }
  const std::string& key() const { return at_.key(); }
  MutableIterator& operator++() {
    ++at_;
    return *this;
  }
  friend bool operator==(const MutableIterator&, const MutableIterator&) = default;

 private:
  Iterator at_;
};

template <class List>
requires requires(const List& list) {
  typename List::value_type;
  list.begin();
  requires !std::convertible_to<const List&, std::string_view>;
  requires !std::same_as<List, Value::Array> && !std::same_as<List, Value::Object> && !std::same_as<List, Value>;
}
Value::Value(const List& list) {
  if constexpr (requires { list.begin()->first; }) {
    *this = object();
    for (const auto& [key, value] : list) (*this)[key] = value;
  } else {
    *this = array();
    for (const auto& value : list) push_back(value);
  }
}

}  // namespace ergode
