#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ergode {

/// Exponents of the base dimensions a quantity is made of. All zero: dimensionless. Besides those of SI: money (USD),
/// data (B), tokens, jobs and operations (FLOP), which do not convert into each other.
///
///     time s   length m   mass kg   temperature K   current A   amount mol   luminosity cd
///     money USD   data B   token token   job job   operation FLOP
///
/// An angle has none: a radian is a plain number.
struct Dimension {
  enum Base { time, length, mass, temperature, current, amount, luminosity, money, data, token, job, operation, count };
  std::array<std::int8_t, count> exponent{};

  bool none() const { return *this == Dimension{}; }
  friend bool operator==(const Dimension&, const Dimension&) = default;
  /// Product notation in SI base units, "s-1", "m s-2"; "1" when dimensionless.
  std::string text() const;
  /// Of seconds; per_time() of rates per second.
  static Dimension of_time() {
    Dimension d;
    d.exponent[time] = 1;
    return d;
  }
  static Dimension per_time() {
    Dimension d;
    d.exponent[time] = -1;
    return d;
  }
};

inline constexpr int greatest_exponent = 100;  ///< of a base unit, either way: no quantity is near it
/// Dimension of a * b^times, times being 1 or -1; nothing when an exponent would be too great.
std::optional<Dimension> product(Dimension a, const Dimension& b, int times);

/// A unit of measurement: `value_in_SI = value * scale + offset` (offset is nonzero for degree Celsius and the like
/// only). Quantities are converted once, where they enter, and shown in their unit; all in between is SI.
///
///     const auto per_hour = parse_unit("/h");              // scale 1 / 3600, dimension s-1
///     const double rate = per_hour->to_si(3.0);            // 8.33e-4, per second
///     const std::string shown = number_text(per_hour->from_si(rate)) + " /h";
struct Unit {
  double scale = 1.0;  ///< finite, > 0
  double offset = 0.0;
  Dimension dimension;
  std::string symbol;  ///< As the user wrote it: "/h", "1/yr", "h"; empty: dimensionless.

  /// Of differences of temperatures the offset does not count: multiply by scale.
  double to_si(double value) const { return value * scale + offset; }
  /// The inverse, but for rounding.
  double from_si(double value) const { return (value - offset) / scale; }
};

/// Reads a unit as UDUNITS-2 does ("h", "1/h", "W m-2", "%", "degC"), with these differences:
///  * "/h" is read as "1/h";
///  * a year ("yr", "year", "y") is 8760 h, as probabilistic risk assessment counts it, not UDUNITS' tropical year;
///  * "d" is a day, "min" a minute, "h" an hour, and none of them takes a prefix: "hh" is no unit;
///  * USD, token, job, FLOP, bit, B and byte (with decimal and binary prefixes: GB, GiB) are units;
///  * "demand", "1", "" and "-" are dimensionless.
/// @returns nothing when the text is no unit. Thread-safe; results are cached.
/// One lock for all threads: not per event. UDUNITS-2, UCAR Unidata.
std::optional<Unit> parse_unit(std::string_view text);

/// Whether one word ("h", "kW", "GiB") is a unit symbol by itself: used to read "8 h" inside an expression.
/// Cost as of parse_unit(); a text of digits is none.
bool is_unit_word(std::string_view word);

}  // namespace ergode
