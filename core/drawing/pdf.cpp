#include "core/drawing/pdf.h"

#include <algorithm>
#include <array>
#include <map>

#include "core/base/sha256.h"
#include "core/drawing/svg.h"
#include "core/drawing/true_type.h"

namespace ergode {
namespace {

using Kind = Primitive::Kind;
constexpr double points_per_pixel = 0.75;
constexpr double arc = 0.5522847498;  // control points of a quarter of a circle

std::string number(double value) { return svg_number(value); }
std::string pair(double x, double y) { return number(x) + " " + number(y) + " "; }

std::string hex(std::uint32_t value, int digits) {
  static const char* const letters = "0123456789ABCDEF";
  std::string out;
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) out += letters[value >> shift & 15U];
  return out;
}

std::string utf16(std::uint32_t code) {
  if (code < 0x10000U) return hex(code, 4);
  code -= 0x10000U;
  return hex(0xD800U + (code >> 10), 4) + hex(0xDC00U + (code & 0x3FFU), 4);
}

std::vector<std::uint32_t> code_points(std::string_view text) {
  std::vector<std::uint32_t> out;
  for (std::size_t at = 0; at < text.size();) {
    std::uint32_t code = 0;
    at = next_code_point(text, at, code);
    out.push_back(code);
  }
  return out;
}

/// A text of the document's information, in any language.
std::string text_string(std::string_view text) {
  std::string out = "<FEFF";
  for (const std::uint32_t code : code_points(text)) out += utf16(code);
  return out + ">";
}

/// One of the four fonts with the characters used so far; character k is number k in the file.
struct UsedFont {
  TrueTypeFont font;
  std::string name;
  std::vector<std::uint32_t> codes = {0};
  std::map<std::uint32_t, std::uint32_t> number{};

  std::string encoded(std::string_view text) {
    std::string out;
    for (const std::uint32_t code : code_points(text)) {
      if (code < 0x20) continue;
      const auto [known, fresh] = number.emplace(code, static_cast<std::uint32_t>(codes.size()));
      if (fresh) codes.push_back(code);
      out += hex(known->second, 4);
    }
    return out;
  }
};

/// The drawing operators, in pixels of the picture, y downwards.
class Page {
 public:
  Page(const Picture& picture, const Theme& theme, bool transparent) : theme_(theme) {
    const Rect& v = picture.view;
    out_ = number(points_per_pixel) + " 0 0 " + number(-points_per_pixel) + " " +
           pair(-v.x * points_per_pixel, v.bottom() * points_per_pixel) + "cm\n";
    out_ += pair(v.x, v.y) + pair(v.width, v.height) + "re W n\n";  // nothing reaches outside
    if (!transparent) {
      colour(Role::canvas, "rg");
      out_ += pair(v.x, v.y) + pair(v.width, v.height) + "re f\n";
    }
    for (const Primitive& s : picture.primitives) shape(s);
  }
  const std::string& operators() const { return out_; }
  std::map<int, UsedFont>& fonts() { return fonts_; }
  const std::map<int, std::string>& opacities() const { return opacities_; }

 private:
  void colour(Role role, const char* op) {
    const Color c = theme_.color(role);
    for (const int part : {int{c.red}, int{c.green}, int{c.blue}}) out_ += three_digits(part / 255.0) + " ";
    out_ += std::string(op) + "\n";
  }
  static std::string three_digits(double share) {
    const int thousandths = static_cast<int>(share * 1000.0 + 0.5);
    if (thousandths >= 1000) return "1";
    std::string digits = std::to_string(1000 + thousandths).substr(1);
    return "0." + digits;
  }
  void curve(Point a, Point b, Point c) { out_ += pair(a.x, a.y) + pair(b.x, b.y) + pair(c.x, c.y) + "c\n"; }

  /// An ellipse is a rectangle whose corners are quarters of it.
  void rounded(const Rect& r, double rx, double ry) {
    const double kx = rx * (1 - arc), ky = ry * (1 - arc);
    out_ += pair(r.x + rx, r.y) + "m\n" + pair(r.right() - rx, r.y) + "l\n";
    curve({r.right() - kx, r.y}, {r.right(), r.y + ky}, {r.right(), r.y + ry});
    out_ += pair(r.right(), r.bottom() - ry) + "l\n";
    curve({r.right(), r.bottom() - ky}, {r.right() - kx, r.bottom()}, {r.right() - rx, r.bottom()});
    out_ += pair(r.x + rx, r.bottom()) + "l\n";
    curve({r.x + kx, r.bottom()}, {r.x, r.bottom() - ky}, {r.x, r.bottom() - ry});
    out_ += pair(r.x, r.y + ry) + "l\n";
    curve({r.x, r.y + ky}, {r.x + kx, r.y}, {r.x + rx, r.y});
    out_ += "h\n";
  }

  void shape(const Primitive& s) {
    if (s.kind == Kind::text) return words(s);
    const bool filled = s.fill != Role::none, stroked = s.stroke != Role::none;
    const bool points = s.kind == Kind::polyline || s.kind == Kind::polygon;
    if ((!filled && !stroked) || (points && s.points.empty())) return;
    out_ += "q\n";
    if (filled) {
      colour(s.fill, "rg");
      if (s.fill_opacity < 1.0) {
        const int percent = static_cast<int>(s.fill_opacity * 100.0 + 0.5);
        opacities_[percent] = three_digits(s.fill_opacity);
        out_ += "/O" + std::to_string(percent) + " gs\n";
      }
    }
    if (stroked) {
      colour(s.stroke, "RG");
      out_ += number(s.line_width) + " w\n";
      if (s.kind == Kind::polyline) out_ += "1 j\n";
      std::string dashes;
      for (const double part : dash_pattern(s.dash)) dashes += (dashes.empty() ? "" : " ") + number(part);
      if (!dashes.empty()) out_ += "[" + dashes + "] 0 d\n";
    }
    if (points) {
      for (std::size_t i = 0; i < s.points.size(); ++i)
        out_ += pair(s.points[i].x, s.points[i].y) + (i == 0 ? "m\n" : "l\n");
      if (s.kind == Kind::polygon) out_ += "h\n";
    } else {
      const double w = std::max(0.0, s.box.width), h = std::max(0.0, s.box.height);
      const bool round = s.kind == Kind::ellipse;
      const double rx = round ? w / 2 : std::min(s.radius, w / 2), ry = round ? h / 2 : std::min(s.radius, h / 2);
      if (rx > 0.0 && ry > 0.0) rounded({s.box.x, s.box.y, w, h}, rx, ry);
      else out_ += pair(s.box.x, s.box.y) + pair(w, h) + "re\n";
    }
    out_ += std::string(filled && stroked ? "B" : filled ? "f" : "S") + "\nQ\n";
  }

  void words(const Primitive& s) {
    if (s.fill == Role::none || s.text.empty() || s.points.empty()) return;
    const int which = (s.font.bold ? 1 : 0) + (s.font.mono ? 2 : 0);
    static constexpr std::array<const char*, 4> names = {"DejaVuSans", "DejaVuSans-Bold", "DejaVuSansMono",
                                                         "DejaVuSansMono-Bold"};
    auto found = fonts_.find(which);
    if (found == fonts_.end())
      found =
          fonts_.emplace(which, UsedFont{TrueTypeFont(built_in_font(s.font)), names[static_cast<std::size_t>(which)]})
              .first;
    const double before =
        s.anchor == Anchor::start ? 0.0 : text_width(s.text, s.font) / (s.anchor == Anchor::end ? 1 : 2);
    Point p = s.points[0];
    (s.upwards ? p.y : p.x) += s.upwards ? before : -before;
    out_ += "BT\n";
    colour(s.fill, "rg");
    out_ += "/F" + std::to_string(which) + " " + number(s.font.size) + " Tf\n";
    out_ += std::string(s.upwards ? "0 -1 -1 0 " : "1 0 0 -1 ") + pair(p.x, p.y) + "Tm\n";
    out_ += "<" + found->second.encoded(s.text) + "> Tj\nET\n";
  }

  const Theme& theme_;
  std::string out_;
  std::map<int, UsedFont> fonts_;
  std::map<int, std::string> opacities_;
};

/// Numbered objects and the table of where they are.
class File {
 public:
  int reserve() {
    places_.push_back(0);
    return static_cast<int>(places_.size());
  }
  void write(int object, const std::string& body) {
    places_[static_cast<std::size_t>(object - 1)] = out_.size();
    out_ += std::to_string(object) + " 0 obj\n" + body + "\nendobj\n";
  }
  int add(const std::string& body) {
    const int object = reserve();
    write(object, body);
    return object;
  }
  int add_stream(const std::string& data, const std::string& more = {}) {
    return add("<< /Length " + std::to_string(data.size()) + more + " >>\nstream\n" + data + "\nendstream");
  }
  std::string finish(int catalog, int info) {
    const std::string id = sha256_hex(out_).substr(0, 32);
    const std::size_t table = out_.size();
    out_ += "xref\n0 " + std::to_string(places_.size() + 1) + "\n0000000000 65535 f \n";
    for (const std::size_t place : places_) {
      const std::string digits = std::to_string(place);
      out_ += std::string(10 - digits.size(), '0') + digits + " 00000 n \n";
    }
    out_ += "trailer\n<< /Size " + std::to_string(places_.size() + 1) + " /Root " + std::to_string(catalog) +
            " 0 R /Info " + std::to_string(info) + " 0 R /ID [<" + id + "> <" + id + ">] >>\nstartxref\n" +
            std::to_string(table) + "\n%%EOF\n";
    return std::move(out_);
  }

 private:
  std::string out_ = "%PDF-1.7\n%\xE2\xE3\xCF\xD3\n";
  std::vector<std::size_t> places_;
};

std::string reference(int object) { return std::to_string(object) + " 0 R"; }

/// Lets a reader turn glyphs back into text.
std::string to_unicode(const UsedFont& used) {
  std::string out =
      "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n/CIDSystemInfo << /Registry (Adobe) "
      "/Ordering (UCS) /Supplement 0 >> def\n/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n"
      "1 begincodespacerange\n<0000> <FFFF>\nendcodespacerange\n";
  constexpr std::size_t most = 100;  // entries in one block
  for (std::size_t from = 1; from < used.codes.size(); from += most) {
    const std::size_t to = std::min(used.codes.size(), from + most);
    out += std::to_string(to - from) + " beginbfchar\n";
    for (std::size_t k = from; k < to; ++k)
      out += "<" + hex(static_cast<std::uint32_t>(k), 4) + "> <" + utf16(used.codes[k]) + ">\n";
    out += "endbfchar\n";
  }
  return out + "endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend";
}

int add_font(File& file, const UsedFont& used) {
  std::vector<std::uint16_t> glyphs;
  std::string widths;
  for (const std::uint32_t code : used.codes) {
    glyphs.push_back(code == 0 ? std::uint16_t{0} : used.font.glyph(code));
    widths += (widths.empty() ? "" : " ") + number(used.font.advance(glyphs.back()));
  }
  const std::string data = used.font.subset(glyphs);
  // A subset is named by six letters and the font.
  std::string name;
  for (const char c : sha256_hex(data).substr(0, 6))
    name += static_cast<char>('A' + (c <= '9' ? c - '0' : c - 'a' + 10));
  name = "/" + name + "+" + used.name;
  const int program = file.add_stream(data, " /Length1 " + std::to_string(data.size()));
  std::string box;
  for (const double v : used.font.bounding_box()) box += (box.empty() ? "" : " ") + number(v);
  const bool mono = used.name.find("Mono") != std::string::npos, bold = used.name.find("Bold") != std::string::npos;
  const int descriptor =
      file.add("<< /Type /FontDescriptor /FontName " + name + " /Flags " + (mono ? "5" : "4") + " /FontBBox [" + box +
               "] /ItalicAngle 0 /Ascent " + number(used.font.ascent()) + " /Descent " + number(used.font.descent()) +
               " /CapHeight 729 /StemV " + (bold ? "140" : "80") + " /FontFile2 " + reference(program) + " >>");
  const int cid = file.add("<< /Type /Font /Subtype /CIDFontType2 /BaseFont " + name +
                           " /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> "
                           "/CIDToGIDMap /Identity /DW 600 /W [0 [" +
                           widths + "]] /FontDescriptor " + reference(descriptor) + " >>");
  const int unicode = file.add_stream(to_unicode(used));
  return file.add("<< /Type /Font /Subtype /Type0 /BaseFont " + name + " /Encoding /Identity-H /DescendantFonts [" +
                  reference(cid) + "] /ToUnicode " + reference(unicode) + " >>");
}

}  // namespace

std::string to_pdf(const Picture& picture, const Theme& theme, const PdfOptions& options) {
  Page page(picture, theme, options.transparent);
  File file;
  const int catalog = file.reserve(), pages = file.reserve(), sheet = file.reserve();
  const int content = file.add_stream(page.operators());
  std::string fonts, opacities;
  for (auto& [which, used] : page.fonts())
    fonts += "/F" + std::to_string(which) + " " + reference(add_font(file, used)) + " ";
  for (const auto& [percent, value] : page.opacities())
    opacities += "/O" + std::to_string(percent) + " << /ca " + value + " >> ";
  std::string keywords;
  for (const auto& [key, value] : options.provenance) keywords += (keywords.empty() ? "" : "; ") + key + ": " + value;
  std::string facts = "<< /Producer (Ergode)";
  if (!options.title.empty()) facts += " /Title " + text_string(options.title);
  if (!options.subject.empty()) facts += " /Subject " + text_string(options.subject);
  if (!keywords.empty()) facts += " /Keywords " + text_string(keywords);
  const int info = file.add(facts + " >>");
  file.write(catalog, "<< /Type /Catalog /Pages " + reference(pages) + " /Lang (en)" +
                          (options.title.empty() ? "" : " /ViewerPreferences << /DisplayDocTitle true >>") + " >>");
  file.write(pages, "<< /Type /Pages /Kids [" + reference(sheet) + "] /Count 1 >>");
  file.write(sheet, "<< /Type /Page /Parent " + reference(pages) + " /MediaBox [0 0 " +
                        pair(picture.view.width * points_per_pixel, picture.view.height * points_per_pixel) +
                        "] /Resources << /Font << " + fonts + ">> /ExtGState << " + opacities + ">> >> /Contents " +
                        reference(content) + " >>");
  return file.finish(catalog, info);
}

}  // namespace ergode
