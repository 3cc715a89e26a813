#include "core/base/unit.h"

#include <udunits2.h>

#include <cmath>
#include <map>
#include <mutex>
#include <regex>

#include "core/base/text.h"

namespace ergode {
namespace {

// UDUNITS keeps hidden state and is not thread-safe: everything that touches it holds this lock.
std::mutex mutex;

constexpr std::array<const char*, Dimension::count> symbols = {"s",  "m",   "kg", "K",     "A",   "mol",
                                                               "cd", "USD", "B",  "token", "job", "FLOP"};

class System {
 public:
  System() {
    ut_set_error_message_handler(ut_ignore);
    system_ = ut_read_xml(nullptr);
    if (system_ == nullptr) return;
    for (const char* const name : {"USD", "token", "job", "FLOP"}) ut_free(base(name));
    ut_unit* byte = base("B");
    const char* const letters[] = {"k", "M", "G", "T", "P"};
    for (int i = 0; i < 5; ++i) {
      map((std::string(letters[i]) + "B").c_str(), ut_scale(std::pow(1000.0, i + 1), byte));
      map(((i == 0 ? "K" : letters[i]) + std::string("iB")).c_str(), ut_scale(std::pow(1024.0, i + 1), byte));
    }
    ut_free(byte);  // the names hold units of their own
    map("demand", ut_get_dimensionless_unit_one(system_));
  }

  std::optional<Unit> parse(const std::string& text) const {
    if (system_ == nullptr) return std::nullopt;
    ut_unit* const unit = ut_parse(system_, text.c_str(), UT_UTF8);
    if (unit == nullptr) return std::nullopt;
    Unit out;
    const bool known = read(unit, out);
    ut_free(unit);
    if (!known) return std::nullopt;
    return out;
  }

 private:
  ut_unit* base(const char* name) {
    ut_unit* const unit = ut_new_base_unit(system_);
    ut_map_unit_to_name(unit, name, UT_ASCII);
    ut_map_name_to_unit(name, UT_ASCII, unit);
    ut_map_symbol_to_unit(name, UT_ASCII, unit);
    return unit;
  }
  static void map(const char* name, ut_unit* unit) {
    ut_map_symbol_to_unit(name, UT_ASCII, unit);
    ut_free(unit);
  }

  // Takes the unit apart into scale and exponents through UDUNITS' visitor.
  struct Parts {
    Unit* unit;
    bool ok;
  };
  static bool read(const ut_unit* unit, Unit& out) {
    Parts parts{&out, true};
    ut_visitor visitor{};
    visitor.visit_basic = [](const ut_unit* basic, void* to) { return add(basic, 1, *static_cast<Parts*>(to)); };
    visitor.visit_product = [](const ut_unit*, int count, const ut_unit* const* basics, const int* powers, void* to) {
      for (int i = 0; i < count; ++i) add(basics[i], powers[i], *static_cast<Parts*>(to));
      return UT_SUCCESS;
    };
    visitor.visit_galilean = [](const ut_unit*, double scale, const ut_unit* underlying, double offset, void* to) {
      Parts& here = *static_cast<Parts*>(to);
      if (!read(underlying, *here.unit)) here.ok = false;
      // UDUNITS: underlying = scale * (value) + scale * offset, its origin being in units of this unit.
      here.unit->offset += here.unit->scale * scale * offset;
      here.unit->scale *= scale;
      return UT_SUCCESS;
    };
    visitor.visit_timestamp = [](const ut_unit*, const ut_unit*, double, void* to) {
      static_cast<Parts*>(to)->ok = false;
      return UT_SUCCESS;
    };
    visitor.visit_logarithmic = [](const ut_unit*, double, const ut_unit*, void* to) {
      static_cast<Parts*>(to)->ok = false;
      return UT_SUCCESS;
    };
    return ut_accept_visitor(unit, &visitor, &parts) == UT_SUCCESS && parts.ok;
  }
  static ut_status add(const ut_unit* basic, int power, Parts& parts) {
    const char* symbol = ut_get_symbol(basic, UT_ASCII);
    if (symbol == nullptr) symbol = ut_get_name(basic, UT_ASCII);
    const std::string_view text = symbol == nullptr ? "" : symbol;
    if (text == "rad") return UT_SUCCESS;  // an angle is a number
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      if (text != symbols[i]) continue;
      auto& exponent = parts.unit->dimension.exponent[i];
      if (std::abs(exponent + power) > greatest_exponent) parts.ok = false;
      else exponent = static_cast<std::int8_t>(exponent + power);
      return UT_SUCCESS;
    }
    parts.ok = false;
    return UT_SUCCESS;
  }

  ut_system* system_ = nullptr;
};

// "hh" is a slip of the finger and no hecto-hour: clock times take no prefix.
bool has_mistaken_prefix(std::string_view text) {
  static const std::regex slip(
      "(^|[^A-Za-z])(?!(cd|yd)([^A-Za-z]|$))"
      "(da|[yzafpnumcdhkMGTPEZY])(h|hr|d|min|yr)([^A-Za-z]|$)");
  return std::regex_search(text.begin(), text.end(), slip);
}

// UDUNITS counts a tropical year, PRA 8760 h; UDUNITS' own bit and byte are plain numbers. Words are replaced before it
// reads them.
std::string prepared(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const auto letter = [&](std::size_t k) {
      const char c = text[k];
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
             (static_cast<unsigned char>(c) & 0x80U) != 0;
    };
    if (!letter(i)) {
      out += text[i++];
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && letter(end)) ++end;
    const std::string_view word = text.substr(i, end - i);
    if (word == "yr" || word == "y" || word == "year" || word == "years") out += "(8760 h)";
    else if (word == "hours") out += "h";
    else if (word == "bit" || word == "bits") out += "(0.125 B)";
    else if (word.size() == 4 && word.ends_with("bit") && std::string_view("kMGTP").find(word[0]) != word.npos)
      out += std::string("(0.125 ") + word[0] + "B)";
    else if (word == "byte" || word == "bytes") out += "B";
    else out += word;
    i = end;
  }
  if (!out.empty() && out.front() == '/') out.insert(0, "1");
  return out;
}

}  // namespace

std::optional<Dimension> product(Dimension a, const Dimension& b, int times) {
  for (std::size_t i = 0; i < Dimension::count; ++i) {
    const int power = a.exponent[i] + times * b.exponent[i];
    if (std::abs(power) > greatest_exponent) return std::nullopt;
    a.exponent[i] = static_cast<std::int8_t>(power);
  }
  return a;
}

std::string Dimension::text() const {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) {
    if (exponent[i] == 0) continue;
    if (!out.empty()) out += ' ';
    out += symbols[i];
    if (exponent[i] != 1) out += std::to_string(exponent[i]);
  }
  return out.empty() ? "1" : out;
}

std::optional<Unit> parse_unit(std::string_view text) {
  text = trim(text);
  if (text.empty() || text == "-" || text == "1") return Unit{};
  const std::lock_guard lock(mutex);
  static const System system;
  static std::map<std::string, std::optional<Unit>, std::less<>> cache;
  if (const auto found = cache.find(text); found != cache.end()) return found->second;
  std::optional<Unit> unit = has_mistaken_prefix(text) ? std::nullopt : system.parse(prepared(text));
  if (unit) unit->symbol = std::string(text);
  if (unit && !(std::isfinite(unit->scale) && unit->scale > 0)) unit.reset();
  // What is typed goes through here letter by letter: without a bound the cache would hold it all.
  if (cache.size() > 10000) cache.clear();
  cache.emplace(text, unit);
  return unit;
}

bool is_unit_word(std::string_view word) {
  if (word.empty() || (word.front() >= '0' && word.front() <= '9')) return false;
  return parse_unit(word).has_value();
}

}  // namespace ergode
