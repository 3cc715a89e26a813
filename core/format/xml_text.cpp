#include "core/format/xml_text.h"

#include <charconv>
#include <cstdint>
#include <unordered_set>
#include <vector>

namespace ergode {
namespace {

void append_utf8(std::string& out, std::uint32_t c) {
  if (c < 0x80) out += static_cast<char>(c);
  else if (c < 0x800) out += static_cast<char>(0xC0U | c >> 6U), out += static_cast<char>(0x80U | (c & 0x3FU));
  else if (c < 0x10000) {
    out += static_cast<char>(0xE0U | c >> 12U), out += static_cast<char>(0x80U | (c >> 6U & 0x3FU));
    out += static_cast<char>(0x80U | (c & 0x3FU));
  } else {
    out += static_cast<char>(0xF0U | c >> 18U), out += static_cast<char>(0x80U | (c >> 12U & 0x3FU));
    out += static_cast<char>(0x80U | (c >> 6U & 0x3FU)), out += static_cast<char>(0x80U | (c & 0x3FU));
  }
}

std::string from_utf16(std::string_view bytes, bool big) {
  std::string out;
  const auto unit = [&](std::size_t at) {
    const auto a = static_cast<unsigned char>(bytes[at]), b = static_cast<unsigned char>(bytes[at + 1]);
    return static_cast<std::uint32_t>(big ? a << 8 | b : b << 8 | a);
  };
  for (std::size_t at = 0; at + 1 < bytes.size(); at += 2) {
    std::uint32_t c = unit(at);
    if (c >= 0xD800 && c < 0xDC00 && at + 3 < bytes.size() && (unit(at + 2) & 0xFC00U) == 0xDC00) {
      c = 0x10000 + ((c & 0x3FFU) << 10U | (unit(at + 2) & 0x3FFU));
      at += 2;
    } else if (c >= 0xD800 && c < 0xE000) {
      c = 0xFFFD;
    }
    // The byte-order mark at the beginning is no text.
    if (c != 0xFEFF || !out.empty()) append_utf8(out, c);
  }
  return out;
}

bool name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':' ||
         (static_cast<unsigned char>(c) & 0x80U) != 0;
}
bool name_more(char c) { return name_start(c) || (c >= '0' && c <= '9') || c == '-' || c == '.'; }
bool space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

class Checker {
 public:
  explicit Checker(std::string_view text) : text_(text) {}

  std::optional<XmlDefect> check() {
    for (std::size_t i = 0; i < text_.size(); ++i) {
      const auto c = static_cast<unsigned char>(text_[i]);
      if (c < 0x20 && !space(text_[i])) return XmlDefect{"a control character", i};
    }
    bool root = false;
    while (at_ < text_.size() && !defect_) {
      if (text_[at_] != '<') {
        character_data();
      } else if (ahead("<!--")) {
        comment();
      } else if (ahead("<![CDATA[")) {
        if (open_.empty()) fail("character data outside the root element", at_);
        else skip_past("]]>", "the CDATA section does not end");
      } else if (ahead("<?")) {
        const bool declaration = ahead("<?xml") && at_ + 5 < text_.size() && space(text_[at_ + 5]);
        if (declaration && at_ != 0) fail("the XML declaration is not at the beginning", at_);
        else skip_past("?>", "the processing instruction does not end");
      } else if (ahead("<!DOCTYPE")) {
        if (root || !open_.empty()) fail("a document type after the root element has begun", at_);
        else doctype();
      } else if (ahead("</")) {
        end_tag();
      } else {
        if (open_.empty() && root) fail("a second root element", at_);
        else start_tag();
        root = true;
      }
    }
    if (!defect_ && !open_.empty()) fail("\"" + quotable(open_.back()) + "\" is not closed", text_.size());
    if (!defect_ && !root) fail("no root element", text_.size());
    return defect_;
  }

 private:
  bool ahead(std::string_view word) const { return text_.substr(at_, word.size()) == word; }
  void fail(std::string message, std::size_t offset) {
    if (!defect_) defect_ = XmlDefect{std::move(message), offset};
  }
  void skip_past(std::string_view end, const char* otherwise) {
    const auto found = text_.find(end, at_);
    if (found == std::string_view::npos) return fail(otherwise, at_);
    at_ = found + end.size();
  }
  void skip_space() {
    while (at_ < text_.size() && space(text_[at_])) ++at_;
  }
  std::string_view name() {
    const std::size_t begin = at_;
    if (at_ < text_.size() && name_start(text_[at_]))
      while (at_ < text_.size() && name_more(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  void comment() {
    const auto dashes = text_.find("--", at_ + 4);
    if (dashes == std::string_view::npos) return fail("the comment does not end", at_);
    if (text_.substr(dashes, 3) != "-->") return fail("`--` inside a comment", dashes);
    at_ = dashes + 3;
  }

  void doctype() {
    int brackets = 0;
    for (; at_ < text_.size(); ++at_) {
      if (ahead("<!ENTITY")) return fail("an entity is declared, which is not read; write what it stands for", at_);
      if (text_[at_] == '[') ++brackets;
      else if (text_[at_] == ']') --brackets;
      else if (text_[at_] == '>' && brackets <= 0) return void(++at_);
    }
    fail("the document type does not end", text_.size());
  }

  void reference() {
    const auto end = text_.substr(at_, 70).find(';');
    if (end == std::string_view::npos || end == 1) return fail("a stray `&`", at_);
    const std::string_view name = text_.substr(at_ + 1, end - 1);
    if (name.front() == '#' ? !character_reference(name.substr(1))
                            : name != "amp" && name != "lt" && name != "gt" && name != "quot" && name != "apos") {
      for (const char c : name)
        if (!name_more(c) && c != '#') return fail("a stray `&`", at_);
      return fail("the reference \"&" + quotable(name) + ";\" means nothing", at_);
    }
    at_ += end + 1;
  }
  /// Of a character that XML allows: no control characters, surrogates, U+FFFE and U+FFFF.
  static bool character_reference(std::string_view digits) {
    const int base = digits.starts_with('x') ? 16 : 10;
    if (base == 16) digits.remove_prefix(1);
    std::uint32_t c = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), c, base);
    if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) return false;
    if (c < 0x20) return c == 9 || c == 10 || c == 13;
    return c < 0xD800 || (c > 0xDFFF && c < 0xFFFE) || (c > 0xFFFF && c < 0x110000);
  }

  void character_data() {
    while (at_ < text_.size() && text_[at_] != '<' && !defect_) {
      if (open_.empty() && !space(text_[at_])) return fail("text outside the root element", at_);
      if (text_[at_] == '&') reference();
      else ++at_;
    }
  }

  void end_tag() {
    const std::size_t begin = at_;
    at_ += 2;
    const std::string_view closed = name();
    skip_space();
    if (at_ >= text_.size() || text_[at_] != '>') return fail("the end tag does not end", at_);
    ++at_;
    if (open_.empty() || open_.back() != closed)
      return fail("the end tag \"" + quotable(closed) + "\" does not match \"" +
                      (open_.empty() ? std::string() : quotable(open_.back())) + "\"",
                  begin);
    open_.pop_back();
  }

  void start_tag() {
    ++at_;
    const std::string_view opened = name();
    if (opened.empty()) return fail("a stray `<`", at_);
    std::unordered_set<std::string_view> seen;
    if (open_.size() >= deepest_xml)
      return fail("nested deeper than " + std::to_string(deepest_xml) + " levels", at_ - opened.size());
    while (!defect_) {
      const std::size_t before = at_;
      skip_space();
      if (at_ >= text_.size()) return fail("the tag \"" + quotable(opened) + "\" does not end", at_);
      if (text_[at_] == '>') {
        ++at_;
        open_.push_back(opened);
        return;
      }
      if (ahead("/>")) return void(at_ += 2);
      if (at_ == before) return fail("an attribute without space before it", at_);
      attribute(seen);
    }
  }

  void attribute(std::unordered_set<std::string_view>& seen) {
    const std::size_t begin = at_;
    const std::string_view attribute = name();
    if (attribute.empty()) return fail("an invalid character in a tag", at_);
    if (!seen.insert(attribute).second)
      return fail("the attribute \"" + quotable(attribute) + "\" stands twice", begin);
    skip_space();
    if (at_ >= text_.size() || text_[at_] != '=')
      return fail("the attribute \"" + quotable(attribute) + "\" has no value", at_);
    ++at_;
    skip_space();
    if (at_ >= text_.size() || (text_[at_] != '"' && text_[at_] != '\''))
      return fail("the value of \"" + quotable(attribute) + "\" is not quoted", at_);
    const char quote = text_[at_++];
    while (!defect_) {
      if (at_ >= text_.size()) return fail("the value of \"" + quotable(attribute) + "\" does not end", at_);
      if (text_[at_] == '<') return fail("`<` in the value of \"" + quotable(attribute) + "\"", at_);
      if (text_[at_] == quote) return void(++at_);
      if (text_[at_] == '&') reference();
      else ++at_;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<std::string_view> open_;
  std::optional<XmlDefect> defect_;
};

}  // namespace

namespace {

bool begins(std::string_view bytes, std::string_view mark) { return bytes.substr(0, mark.size()) == mark; }
bool little_utf16(std::string_view b) { return begins(b, "\xFF\xFE") || begins(b, std::string_view("<\0", 2)); }
bool big_utf16(std::string_view b) { return begins(b, "\xFE\xFF") || begins(b, std::string_view("\0<", 2)); }

/// In small letters; empty when none is declared.
std::string declared_encoding(std::string_view bytes) {
  std::string declared;
  if (!begins(bytes, "<?xml")) return declared;
  const std::string_view head = bytes.substr(0, bytes.find("?>"));
  if (auto at = head.find("encoding");
      at != std::string_view::npos && (at = head.find_first_of("\"'", at)) != std::string_view::npos)
    declared = std::string(head.substr(at + 1, head.find(head[at], at + 1) - at - 1));
  for (char& c : declared)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return declared;
}

bool latin(std::string_view encoding) { return encoding == "iso-8859-1" || encoding == "latin1"; }

}  // namespace

std::optional<XmlDefect> xml_encoding_defect(std::string_view bytes) {
  if (little_utf16(bytes) || big_utf16(bytes)) return std::nullopt;
  std::string_view text = bytes;
  if (begins(text, "\xEF\xBB\xBF")) text.remove_prefix(3);
  const std::string declared = declared_encoding(text);
  if (latin(declared)) {
    if (text.size() == bytes.size()) return std::nullopt;
    return XmlDefect{
        "the byte-order mark says UTF-8 and the declaration \"" + quotable(declared) + "\"; wanted one of them",
        bytes.find("encoding")};
  }
  if (!declared.empty() && declared != "utf-8" && declared != "utf8" && declared != "us-ascii" && declared != "ascii")
    return XmlDefect{"the encoding \"" + quotable(declared) +
                         "\" is not read; wanted UTF-8, UTF-16 (as it says itself), " + "ISO-8859-1 or US-ASCII",
                     bytes.find("encoding")};
  if (const auto bad = invalid_utf8(bytes))
    return XmlDefect{"byte " + std::to_string(*bad) + " is " + quotable(bytes.substr(*bad, 1)) + ", which is no UTF-8",
                     *bad};
  return std::nullopt;
}

std::string xml_as_utf8(std::string_view bytes) {
  if (little_utf16(bytes)) return from_utf16(bytes, false);
  if (big_utf16(bytes)) return from_utf16(bytes, true);
  if (begins(bytes, "\xEF\xBB\xBF")) return std::string(bytes.substr(3));
  if (!latin(declared_encoding(bytes))) return std::string(bytes);
  std::string out;
  for (const char c : bytes) append_utf8(out, static_cast<unsigned char>(c));
  return out;
}

std::optional<XmlDefect> xml_defect(std::string_view utf8) { return Checker(utf8).check(); }

}  // namespace ergode
