#pragma once
#include <cstdint>
#include <pugixml.hpp>
#include <string>

namespace ergode {

/// What JMT calls a service or arrival strategy, in the expression language.
struct JmtLaw {
  std::string text;     ///< "exponential(rate = 2 /s)"; empty: it has none
  double mean_s = 0.0;  ///< 0 where it is not known
  std::string why;      ///< it does not map; "" where it does
  /// How draws depend on those before: by phases (MAP, MMPP); as a file lists them; in bursts, for times between
  /// customers only.
  enum class Memory : std::uint8_t { none, phases, list, burst };
  Memory memory = Memory::none;
  bool has_memory() const { return memory != Memory::none; }
};
JmtLaw jmt_law(const pugi::xml_node& strategy);
/// The law of what is no strategy of service, as the time after which customers give up.
JmtLaw jmt_distribution(const pugi::xml_node& of);
/// The last word of a Java class: "jmt.engine.random.Exponential" is Exponential.
std::string last_word(const std::string& path);
/// A text of a file as a number; NaN where it is none.
double jmt_number(const char* text);
/// The parameter of this name, anywhere below; null: none.
pugi::xml_node named_below(const pugi::xml_node& node, const char* name);
/// Its number; NaN: none.
double number_below(const pugi::xml_node& node, const char* name);

}  // namespace ergode
