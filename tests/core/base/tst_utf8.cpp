#include <QtTest>
#include <string>

#include "core/base/text.h"
#include "core/base/text_place.h"
#include "core/base/utf8.h"
#include "core/drawing/text_metrics.h"

using namespace ergode;

namespace {

/// The encoding by its definition (RFC 3629, section 3), longest form `bytes`.
std::string encoded(std::uint32_t code, std::size_t bytes) {
  if (bytes == 1) return {static_cast<char>(code)};
  std::string out;
  for (std::size_t i = bytes; i-- > 0;)
    out += static_cast<char>(i + 1 == bytes ? ((0xF00U >> bytes) & 0xFFU) | (code >> (6 * i))
                                            : 0x80U | ((code >> (6 * i)) & 0x3FU));
  return out;
}

std::size_t shortest(std::uint32_t code) { return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4; }

}  // namespace

class TestUtf8 : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void every_code_point_is_read_back_and_surrogates_are_none();
  void longer_forms_are_none();
  void every_pair_of_bytes_is_judged_alike_by_all_who_read_text();
  void what_is_cut_off_is_none();
};

void TestUtf8::every_code_point_is_read_back_and_surrogates_are_none() {
  for (std::uint32_t code = 0; code < 0x200000; ++code) {
    const std::string text = "a" + encoded(code, shortest(code)) + "b";
    const Utf8Character c = utf8_character(text, 1);
    const bool there = code <= 0x10FFFF && !(code >= 0xD800 && code <= 0xDFFF);
    if (c.bytes != (there ? shortest(code) : 0) || c.code != (there ? code : 0)) QCOMPARE(c.code, code);
  }
}

void TestUtf8::longer_forms_are_none() {
  for (std::size_t bytes = 2; bytes <= 4; ++bytes)
    for (std::uint32_t code = 0; shortest(code) < bytes; ++code)
      if (utf8_character(encoded(code, bytes), 0).bytes != 0) QCOMPARE(code, 0U);
}

void TestUtf8::every_pair_of_bytes_is_judged_alike_by_all_who_read_text() {
  for (unsigned first = 0; first < 256; ++first)
    for (unsigned second = 0; second < 256; ++second)
      for (const char* rest : {"", "\x80", "\xBF\x80", "x"}) {
        const std::string text = std::string{static_cast<char>(first), static_cast<char>(second)} + rest;
        const Utf8Character c = utf8_character(text, 0);
        const bool bad = c.bytes == 0;
        QCOMPARE(invalid_utf8(text) == std::size_t{0}, bad);
        std::uint32_t code = 0;
        QCOMPARE(next_code_point(text, 0, code), bad ? std::size_t{1} : c.bytes);
        QCOMPARE(code, bad ? 0xFFFDU : c.code);
        if (first != '\\') QCOMPARE(visible(text).starts_with("\\x"), bad);
      }
}

void TestUtf8::what_is_cut_off_is_none() {
  const std::string text = encoded(0x1F600, 4);
  for (std::size_t length = 1; length < 4; ++length) QCOMPARE(utf8_character(text.substr(0, length), 0).bytes, 0UL);
  QCOMPARE(utf8_character(text, 0).bytes, 4UL);
  QCOMPARE(utf8_character("ab" + text, 2).bytes, 4UL);
}

QTEST_APPLESS_MAIN(TestUtf8)
#include "tst_utf8.moc"
