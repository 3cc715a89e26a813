#include "core/drawing/text_metrics.h"

#include <algorithm>
#include <cstdint>

#include "core/base/utf8.h"

namespace ergode {
namespace {

// Advance widths in 1/2048 em, read from the horizontal metrics of DejaVu Sans and DejaVu Sans Bold 2.37. The mono face
// has one width. Code points outside the ranges count as wide as a capital letter.
struct CodeRange {
  std::uint32_t first, last;
  std::size_t offset;
};
constexpr CodeRange ranges[] = {
    {0x20, 0x7e, 0},       {0xa0, 0xff, 95},      {0x391, 0x3c9, 191},   {0x2010, 0x2026, 248}, {0x2070, 0x2079, 271},
    {0x207b, 0x207b, 281}, {0x2190, 0x2193, 282}, {0x2202, 0x2202, 286}, {0x2208, 0x2208, 287}, {0x2211, 0x2212, 288},
    {0x221a, 0x221e, 290}, {0x2227, 0x222a, 295}, {0x2248, 0x2248, 299}, {0x2260, 0x2265, 300}};
constexpr std::uint16_t regular_advance[] = {
    651,  821,  942,  1716, 1303, 1946, 1597, 563,  799,  799,  1024, 1716, 651,  739,  651,  690,  1303, 1303,
    1303, 1303, 1303, 1303, 1303, 1303, 1303, 1303, 690,  690,  1716, 1716, 1716, 1087, 2048, 1401, 1405, 1430,
    1577, 1294, 1178, 1587, 1540, 604,  604,  1343, 1141, 1767, 1532, 1612, 1235, 1612, 1423, 1300, 1251, 1499,
    1401, 2025, 1403, 1251, 1403, 799,  690,  799,  1716, 1024, 1024, 1255, 1300, 1126, 1300, 1260, 721,  1300,
    1298, 569,  569,  1186, 569,  1995, 1298, 1253, 1300, 1300, 842,  1067, 803,  1298, 1212, 1675, 1212, 1212,
    1075, 1303, 690,  1303, 1716, 651,  821,  1303, 1303, 1303, 1303, 690,  1024, 1024, 2048, 965,  1253, 1716,
    739,  2048, 1024, 1024, 1716, 821,  821,  1024, 1303, 1303, 651,  1024, 821,  965,  1253, 1985, 1985, 1985,
    1087, 1401, 1401, 1401, 1401, 1401, 1401, 1995, 1430, 1294, 1294, 1294, 1294, 604,  604,  604,  604,  1587,
    1532, 1612, 1612, 1612, 1612, 1612, 1716, 1612, 1499, 1499, 1499, 1499, 1251, 1239, 1290, 1255, 1255, 1255,
    1255, 1255, 1255, 2011, 1126, 1260, 1260, 1260, 1260, 569,  569,  569,  569,  1253, 1298, 1253, 1253, 1253,
    1253, 1253, 1716, 1253, 1298, 1298, 1298, 1298, 1212, 1300, 1212, 1401, 1405, 1141, 1401, 1294, 1403, 1540,
    1612, 604,  1343, 1401, 1767, 1532, 1294, 1612, 1540, 1235, 1298, 1294, 1251, 1251, 1612, 1403, 1612, 1565,
    604,  1251, 1350, 1107, 1298, 693,  1185, 1350, 1307, 1212, 1253, 1107, 1114, 1298, 1253, 693,  1207, 1212,
    1303, 1144, 1142, 1253, 1233, 1300, 1202, 1298, 1233, 1185, 1351, 1183, 1351, 1715, 739,  739,  1303, 1024,
    2048, 2048, 1024, 1024, 651,  651,  651,  651,  1061, 1061, 1061, 1061, 1024, 1024, 1208, 1208, 685,  1367,
    2048, 821,  366,  1298, 1298, 821,  821,  821,  821,  821,  821,  1081, 1716, 1716, 1716, 1716, 1059, 1784,
    1380, 1716, 1305, 1305, 1305, 1463, 1706, 1499, 1499, 1499, 1499, 1716, 1716, 1716, 1716, 1716, 1716, 1716};
constexpr std::uint16_t bold_advance[] = {
    713,  934,  1067, 1716, 1425, 2052, 1786, 627,  936,  936,  1071, 1716, 778,  850,  778,  748,  1425, 1425,
    1425, 1425, 1425, 1425, 1425, 1425, 1425, 1425, 819,  819,  1716, 1716, 1716, 1188, 2048, 1585, 1561, 1503,
    1700, 1399, 1399, 1681, 1714, 762,  762,  1587, 1305, 2038, 1714, 1741, 1501, 1741, 1577, 1475, 1397, 1663,
    1585, 2259, 1579, 1483, 1485, 936,  748,  936,  1716, 1024, 1024, 1382, 1466, 1214, 1466, 1389, 891,  1466,
    1458, 702,  702,  1362, 702,  2134, 1458, 1407, 1466, 1466, 1010, 1219, 979,  1458, 1335, 1892, 1321, 1335,
    1192, 1458, 748,  1458, 1716, 713,  934,  1425, 1425, 1303, 1425, 748,  1024, 1024, 2048, 1155, 1323, 1716,
    850,  2048, 1024, 1024, 1716, 897,  897,  1024, 1507, 1303, 778,  1024, 897,  1155, 1323, 2120, 2120, 2120,
    1188, 1585, 1585, 1585, 1585, 1585, 1585, 2222, 1503, 1399, 1399, 1399, 1399, 762,  762,  762,  762,  1716,
    1714, 1741, 1741, 1741, 1741, 1741, 1716, 1741, 1663, 1663, 1663, 1663, 1483, 1511, 1473, 1382, 1382, 1382,
    1382, 1382, 1382, 2146, 1214, 1389, 1389, 1389, 1389, 702,  702,  702,  702,  1407, 1458, 1407, 1407, 1407,
    1407, 1407, 1716, 1407, 1458, 1458, 1458, 1458, 1335, 1466, 1335, 1585, 1561, 1305, 1585, 1399, 1485, 1714,
    1741, 762,  1587, 1585, 2038, 1714, 1294, 1741, 1714, 1501, 1458, 1399, 1397, 1483, 1741, 1579, 1740, 1741,
    762,  1483, 1407, 1140, 1458, 798,  1383, 1407, 1466, 1395, 1407, 1140, 1210, 1458, 1407, 798,  1455, 1296,
    1507, 1395, 1210, 1407, 1620, 1466, 1214, 1595, 1307, 1383, 1602, 1321, 1626, 1780, 850,  850,  1425, 1024,
    2048, 2048, 1024, 1024, 778,  778,  778,  778,  1346, 1346, 1346, 1346, 1024, 1024, 1309, 1309, 682,  1366,
    2048, 897,  449,  1458, 1458, 897,  897,  897,  897,  897,  897,  1081, 1716, 1716, 1716, 1716, 1114, 1836,
    1470, 1716, 1366, 1366, 1366, 1458, 1706, 1663, 1663, 1663, 1663, 1716, 1716, 1716, 1716, 1716, 1716, 1716};
constexpr double mono_advance = 1233.0;
constexpr double other_advance = 1401.0;
constexpr double units_per_em = 2048.0;

double advance(std::uint32_t code, const Font& font) {
  if (font.mono) return mono_advance;
  for (const CodeRange& range : ranges)
    if (code >= range.first && code <= range.last)
      return (font.bold ? bold_advance : regular_advance)[range.offset + (code - range.first)];
  return other_advance;
}

}  // namespace

std::size_t next_code_point(std::string_view utf8, std::size_t at, std::uint32_t& code) {
  const Utf8Character c = utf8_character(utf8, at);
  code = c.bytes > 0 ? c.code : 0xfffd;
  return at + std::max<std::size_t>(c.bytes, 1);
}

double text_width(std::string_view utf8, const Font& font) {
  double units = 0.0;
  for (std::size_t i = 0; i < utf8.size();) {
    std::uint32_t code = 0;
    i = next_code_point(utf8, i, code);
    units += advance(code, font);
  }
  return units / units_per_em * font.size;
}

std::string elided(std::string_view utf8, const Font& font, double width) {
  if (text_width(utf8, font) <= width) return std::string(utf8);
  const double room = width - text_width("\u2026", font);
  std::size_t end = 0;
  for (std::size_t i = 0; i < utf8.size();) {
    std::uint32_t code = 0;
    i = next_code_point(utf8, i, code);
    if (text_width(utf8.substr(0, i), font) > room) break;
    end = i;
  }
  return std::string(utf8.substr(0, end)) + "\u2026";
}

std::vector<std::string> wrapped(std::string_view utf8, const Font& font, double width) {
  std::vector<std::string> lines;
  while (true) {
    const std::size_t newline = utf8.find('\n');
    std::string line;
    std::string_view rest = utf8.substr(0, newline);
    while (!rest.empty()) {
      const std::size_t space = rest.find(' ');
      const std::string_view word = rest.substr(0, space);
      const std::string longer = line.empty() ? std::string(word) : line + " " + std::string(word);
      if (!line.empty() && text_width(longer, font) > width) {
        lines.push_back(line);
        line = word;
      } else {
        line = longer;
      }
      rest = space == std::string_view::npos ? std::string_view{} : rest.substr(space + 1);
    }
    lines.push_back(line);
    if (newline == std::string_view::npos) return lines;
    utf8 = utf8.substr(newline + 1);
  }
}

}  // namespace ergode
