#pragma once
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace ergode {

/// Writes the state of objects as bytes. An object names its fields once, in a template
/// `template <typename Archive> void archive(Archive& a) { a(n_, mean_, parts_); }`, which serves writing and reading,
/// so that the two cannot drift apart. Numbers keep their bits; byte order and sizes are the machine's own.
///
/// For bytes that the same program reads again on the same kind of machine; what goes to others has a version and a
/// hash around it. A number takes its sizeof, a list 8 bytes and its elements, an array of fixed length its elements.
///
///     struct Point {
///       double x = 0.0, y = 0.0;
///       template <typename Archive> void archive(Archive& a) { a(x, y); }
///     };
///     ByteWriter writer;
///     writer(points);                             // std::vector<Point>
///     ByteReader reader(bytes);                   // of writer.take(); a view of them
///     reader(points);
///     if (!reader.complete()) return damaged();
class ByteWriter {
 public:
  template <typename... T>
  void operator()(const T&... fields) {
    (write(fields), ...);
  }
  /// A list whose length its owner knows.
  template <typename T, typename A>
  void fixed(const std::vector<T, A>& list) {
    write(list);
  }
  /// The bytes so far; the writer is empty afterwards.
  std::string take() { return std::move(bytes_); }

 private:
  template <typename T>
  void write(const T& value) {
    if constexpr (std::is_arithmetic_v<T>) bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    else const_cast<T&>(value).archive(*this);  // writing changes nothing
  }
  void write(const std::string& text) {
    write(static_cast<std::uint64_t>(text.size()));
    bytes_.append(text);
  }
  template <typename T, typename A>
  void write(const std::vector<T, A>& list) {
    write(static_cast<std::uint64_t>(list.size()));
    for (const T& one : list) write(one);
  }
  template <typename T, std::size_t n>
  void write(const std::array<T, n>& list) {
    for (const T& one : list) write(one);
  }

  std::string bytes_;
};

/// Reads what ByteWriter wrote. After bytes that end too soon or announce more than there is, ok() is false, every
/// further field is left alone, and what was read is worthless; memory never exceeds a small multiple of the bytes.
/// It reads from a view: the bytes must outlive it.
class ByteReader {
 public:
  /// @param bytes  outlive the reader; what is read is copied out of them
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}
  template <typename... T>
  void operator()(T&... fields) {
    (read(fields), ...);
  }
  /// A list whose length its owner knows: another length is an error, and its elements are read where they are.
  template <typename T, typename A>
  void fixed(std::vector<T, A>& list) {
    const std::size_t size = announced();
    ok_ = ok_ && size == list.size();
    for (std::size_t i = 0; i < list.size() && ok_; ++i) read(list[i]);
  }
  /// No byte was missing so far.
  bool ok() const noexcept { return ok_; }
  /// Whether everything was read, and nothing is left over.
  bool complete() const noexcept { return ok_ && bytes_.empty(); }

 private:
  template <typename T>
  void read(T& value) {
    if constexpr (std::is_arithmetic_v<T>) {
      if (!(ok_ = ok_ && bytes_.size() >= sizeof value)) return;
      if constexpr (std::is_same_v<T, bool>) value = bytes_.front() != 0;
      else std::memcpy(&value, bytes_.data(), sizeof value);
      bytes_.remove_prefix(sizeof value);
    } else {
      value.archive(*this);
    }
  }
  void read(std::string& text) {
    const std::size_t size = announced();
    text.assign(bytes_.substr(0, size));
    bytes_.remove_prefix(size);
  }
  template <typename T, typename A>
  void read(std::vector<T, A>& list) {
    list.clear();
    // Nothing takes less than a byte, so a false size ends with the bytes.
    for (std::size_t left = announced(); left > 0 && ok_; --left) read(list.emplace_back());
  }
  template <typename T, std::size_t n>
  void read(std::array<T, n>& list) {
    for (T& one : list) read(one);
  }
  std::size_t announced() {
    std::uint64_t size = 0;
    read(size);
    ok_ = ok_ && size <= bytes_.size();
    return ok_ ? static_cast<std::size_t>(size) : 0;
  }

  std::string_view bytes_;
  bool ok_ = true;
};

}  // namespace ergode
