#include "core/drawing/true_type.h"

#include <algorithm>
#include <map>

namespace ergode {
namespace {

void put16(std::string& out, unsigned value) {
  out += static_cast<char>(value >> 8 & 0xFFU);
  out += static_cast<char>(value & 0xFFU);
}
void put32(std::string& out, std::uint32_t value) {
  put16(out, value >> 16);
  put16(out, value & 0xFFFFU);
}
void set16(std::string& data, std::size_t at, unsigned value) {
  data[at] = static_cast<char>(value >> 8 & 0xFFU), data[at + 1] = static_cast<char>(value & 0xFFU);
}
void set32(std::string& data, std::size_t at, std::uint32_t value) {
  set16(data, at, value >> 16), set16(data, at + 2, value & 0xFFFFU);
}

std::uint32_t checksum(const std::string& data) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < data.size(); ++i)
    sum += std::uint32_t{static_cast<std::uint8_t>(data[i])} << (24 - 8 * (i % 4));
  return sum;
}

// Flags of the parts of a composite glyph.
constexpr unsigned words = 1, scale = 8, more = 32, two_scales = 64, matrix = 128;

}  // namespace

TrueTypeFont::TrueTypeFont(std::string_view data) : data_(data) {
  units_per_em_ = std::max<double>(16.0, u16(table("head") + 18));
  long_metrics_ = std::max<std::uint16_t>(1, u16(table("hhea") + 34));
}

std::size_t TrueTypeFont::table(const char* tag) const {
  const std::size_t tables = u16(4);
  for (std::size_t t = 0; t < tables; ++t)
    if (data_.substr(12 + 16 * t, 4) == tag) return u32(12 + 16 * t + 8);
  return data_.size();
}

std::size_t TrueTypeFont::table_size(const char* tag) const {
  const std::size_t tables = u16(4);
  for (std::size_t t = 0; t < tables; ++t)
    if (data_.substr(12 + 16 * t, 4) == tag) return u32(12 + 16 * t + 12);
  return 0;
}

std::uint16_t TrueTypeFont::glyph(std::uint32_t code) const {
  const std::size_t cmap = table("cmap");
  for (std::size_t i = 0; i < u16(cmap + 2); ++i) {
    const std::size_t part = cmap + u32(cmap + 4 + 8 * i + 4);
    if (u16(part) == 12) {  // groups of code points
      for (std::size_t g = 0, groups = u32(part + 12); g < groups; ++g) {
        const std::size_t at = part + 16 + 12 * g;
        if (code >= u32(at) && code <= u32(at + 4)) return static_cast<std::uint16_t>(u32(at + 8) + code - u32(at));
      }
    } else if (u16(part) == 4 && code < 0x10000U) {  // segments
      const std::size_t segments = u16(part + 6) / 2U, ends = part + 14, starts = ends + 2 * segments + 2;
      for (std::size_t s = 0; s < segments; ++s) {
        if (code > u16(ends + 2 * s)) continue;
        if (code < u16(starts + 2 * s)) break;
        const std::size_t delta = starts + 2 * segments + 2 * s, offset = delta + 2 * segments;
        if (u16(offset) == 0) return static_cast<std::uint16_t>(code + u16(delta));
        const std::uint16_t found = u16(offset + u16(offset) + 2 * (code - u16(starts + 2 * s)));
        return found == 0 ? std::uint16_t{0} : static_cast<std::uint16_t>(found + u16(delta));
      }
    }
  }
  return 0;
}

double TrueTypeFont::advance(std::uint16_t glyph) const {
  const std::size_t at = std::min<std::size_t>(glyph, long_metrics_ - 1U);
  return scaled(u16(table("hmtx") + 4 * at));
}

std::vector<double> TrueTypeFont::bounding_box() const {
  std::vector<double> out;
  for (std::size_t k = 0; k < 4; ++k) out.push_back(scaled(i16(table("head") + 36 + 2 * k)));
  return out;
}

std::pair<std::size_t, std::size_t> TrueTypeFont::outline(std::uint16_t glyph) const {
  const std::size_t loca = table("loca");
  const bool wide = u16(table("head") + 50) != 0;
  const auto at = [&](std::size_t i) -> std::size_t {
    return wide ? u32(loca + 4 * i) : 2 * std::size_t{u16(loca + 2 * i)};
  };
  const std::size_t begin = at(glyph), end = at(glyph + 1U);
  return {begin, end > begin ? end - begin : 0};
}

std::string TrueTypeFont::subset(std::vector<std::uint16_t> glyphs) const {
  const std::size_t glyf = table("glyf"), hmtx = table("hmtx");
  std::map<std::uint16_t, std::uint16_t> number;
  for (std::size_t i = 0; i < glyphs.size(); ++i) number.emplace(glyphs[i], static_cast<std::uint16_t>(i));
  std::string outlines, places, metrics;
  for (std::size_t i = 0; i < glyphs.size(); ++i) {
    put32(places, static_cast<std::uint32_t>(outlines.size()));
    const auto [begin, size] = outline(glyphs[i]);
    std::string one(data_.substr(std::min(data_.size(), glyf + begin), size));
    if (size >= 10 && (static_cast<std::uint8_t>(one[0]) & 0x80U) != 0) {  // composite: its parts get new numbers
      std::size_t at = 10;
      for (unsigned flags = more; (flags & more) != 0 && at + 4 <= size;) {
        flags = u16(glyf + begin + at);
        const std::uint16_t part = u16(glyf + begin + at + 2);
        const auto [known, fresh] = number.emplace(part, static_cast<std::uint16_t>(glyphs.size()));
        if (fresh) glyphs.push_back(part);
        set16(one, at + 2, known->second);
        at += 4U + ((flags & words) != 0 ? 4U : 2U);
        at += (flags & scale) != 0 ? 2U : (flags & two_scales) != 0 ? 4U : (flags & matrix) != 0 ? 8U : 0U;
      }
    }
    outlines += one;
    outlines.resize((outlines.size() + 3) / 4 * 4, '\0');
    const std::size_t metric = std::min<std::size_t>(glyphs[i], long_metrics_ - 1U);
    put16(metrics, u16(hmtx + 4 * metric));
    const bool has_own = glyphs[i] < long_metrics_;
    put16(metrics, u16(has_own ? hmtx + 4 * metric + 2 : hmtx + 4U * long_metrics_ + 2U * (glyphs[i] - long_metrics_)));
  }
  put32(places, static_cast<std::uint32_t>(outlines.size()));

  std::map<std::string, std::string> tables;  // in the order of their tags, as the directory wants them
  for (const char* tag : {"cvt ", "fpgm", "prep", "head", "hhea", "maxp"})
    if (table_size(tag) > 0) tables[tag] = std::string(data_.substr(table(tag), table_size(tag)));
  tables["glyf"] = outlines, tables["loca"] = places, tables["hmtx"] = metrics;
  set32(tables["head"], 8, 0);   // of the whole: below
  set16(tables["head"], 50, 1);  // wide places
  set16(tables["hhea"], 34, static_cast<unsigned>(glyphs.size()));
  set16(tables["maxp"], 4, static_cast<unsigned>(glyphs.size()));

  unsigned power = 0;
  while ((2U << power) <= tables.size()) ++power;
  std::string out, body;
  put32(out, 0x00010000U);
  put16(out, static_cast<unsigned>(tables.size()));
  put16(out, 16U << power), put16(out, power), put16(out, 16U * static_cast<unsigned>(tables.size()) - (16U << power));
  const std::size_t first = 12 + 16 * tables.size();
  std::size_t head_at = 0;
  for (const auto& [tag, data] : tables) {
    if (tag == "head") head_at = first + body.size();
    out += tag;
    put32(out, checksum(data));
    put32(out, static_cast<std::uint32_t>(first + body.size()));
    put32(out, static_cast<std::uint32_t>(data.size()));
    body += data;
    body.resize((body.size() + 3) / 4 * 4, '\0');
  }
  out += body;
  set32(out, head_at + 8, 0xB1B0AFBAU - checksum(out));
  return out;
}

}  // namespace ergode
