#include "core/report/html_page.h"

#include "core/base/escape_xml.h"
#include "core/base/text.h"
#include "core/drawing/svg.h"

namespace ergode {
namespace {

constexpr std::string_view style = R"(
  body { font-family: "DejaVu Sans", "Segoe UI", Arial, sans-serif; font-size: 14px; line-height: 1.5; color: #1f2933;
         background: #ffffff; max-width: 60rem; margin: 2rem auto; padding: 0 1.5rem; }
  h1 { font-size: 1.7rem; line-height: 1.25; margin: 0 0 .4rem; }
  h2 { font-size: 1.25rem; margin: 2.4rem 0 .6rem; padding-bottom: .25rem; border-bottom: 1px solid #c5ced8; }
  h3 { font-size: 1.02rem; margin: 1.5rem 0 .4rem; }
  p, ul, ol { margin: .5rem 0; }
  .head { color: #52606d; margin: 0; }
  nav { background: #f8f9fa; border: 1px solid #e1e5e9; border-radius: 8px; padding: .6rem 1.2rem; margin: 1.4rem 0; columns: 2; }
  nav a { color: #334e68; text-decoration: none; display: block; }
  table { border-collapse: collapse; margin: .4rem 0 .3rem; width: 100%; font-size: 13px; }
  caption { text-align: left; color: #52606d; padding: .3rem 0; }
  th { text-align: left; vertical-align: bottom; border-bottom: 1.4px solid #334e68; padding: .3rem .6rem .3rem 0; }
  td { vertical-align: top; border-bottom: 1px solid #e1e5e9; padding: .3rem .6rem .3rem 0; overflow-wrap:break-word; }
  th.number, td.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
  .scroll { overflow-x: auto; }
  .wide th, .wide td { padding-right: .9rem; }
  .note { color: #52606d; font-size: 12px; margin: 0 0 1rem; }
  .missing { color: #52606d; font-style: italic; }
  .warning { color: #8a5a00; border-left: 4px solid #8a5a00; background: #fff8ec; padding: .5rem .9rem; }
  figure { margin: 1rem 0 1.4rem; }
  figure svg { max-width: 100%; height: auto; }
  figcaption { color: #52606d; font-size: 13px; margin-top: .3rem; }
  pre { background: #f8f9fa; border: 1px solid #e1e5e9; border-radius: 6px; padding: .6rem .9rem; white-space: pre-wrap;
        overflow-wrap:break-word; font-family: "DejaVu Sans Mono", monospace; font-size: 12px; }
  footer { margin-top: 3rem; padding-top: .8rem; border-top: 1px solid #c5ced8; color: #52606d; font-size: 12px;
           overflow-wrap:break-word; }
  @media print {
    body { max-width: none; margin: 0; padding: 0; font-size: 10.5pt; }
    h2, h3 { break-after: avoid; }
    caption { break-after: avoid; }
    figure, tr, pre, table:not(:has(tbody tr:nth-child(13))) { break-inside: avoid; }
    thead { display: table-header-group; }
    .scroll { overflow: visible; }
    .wide { font-size: 6.5pt; line-height: 1.25; }
    .wide th, .wide td { padding-right: .35rem; }
    .wide td { overflow-wrap: anywhere; }
    .wide th.number { white-space: normal; }
    .wide td.number { overflow-wrap: normal; }
  }
  @page { margin: 18mm 16mm; }
)";

/// As the command line shows it: nothing turns the direction of what stands behind it round.
std::string shown(std::string_view text) { return escape_xml(visible_lines(text)); }

std::string element(std::string_view tag, std::string_view text, std::string_view css = {}) {
  std::string out = "<" + std::string(tag);
  if (!css.empty()) out += " class=\"" + std::string(css) + "\"";
  return out + ">" + shown(text) + "</" + std::string(tag) + ">\n";
}

bool numeric(std::string_view cell) {
  const std::string_view text = trim(cell);
  if (text.empty()) return false;
  const std::size_t end = text.find_first_of(" %");
  return parse_number(text.substr(0, end)).has_value() && (end == std::string_view::npos || text.size() - end <= 8);
}

}  // namespace

void HtmlPage::open_section(std::string number, std::string_view heading) {
  const std::string id = "s" + number;
  const std::string text = number + "  " + std::string(heading);
  contents_.push_back({id, text});
  body_ += "<h2 id=\"" + id + "\">" + shown(text) + "</h2>\n";
}

void HtmlPage::section(std::string_view heading) { open_section(std::to_string(++sections_), heading); }

void HtmlPage::appendix(std::string_view heading) {
  open_section(std::string(1, static_cast<char>('A' + appendices_++)), heading);
}

void HtmlPage::heading(std::string_view text) { body_ += element("h3", text); }
void HtmlPage::paragraph(std::string_view text) { body_ += element("p", text); }
void HtmlPage::missing(std::string_view text) { body_ += element("p", text, "missing"); }
void HtmlPage::warning(std::string_view text) { body_ += element("p", text, "warning"); }
void HtmlPage::code(std::string_view text) { body_ += element("pre", text); }

void HtmlPage::notes(std::string_view text) {
  std::string words;
  std::vector<std::string> entries;
  const auto finish = [&] {
    if (!words.empty()) paragraph(words);
    if (!entries.empty()) list(entries);
    words.clear();
    entries.clear();
  };
  for (const std::string& raw : split(text, '\n')) {
    const std::string_view line = trim(raw);
    if (line.empty()) {
      finish();
    } else if (line.starts_with("- ") || line.starts_with("* ")) {
      if (!words.empty()) finish();
      entries.emplace_back(line.substr(2));
    } else if (!entries.empty()) {
      entries.back() += " " + std::string(line);
    } else {
      words += (words.empty() ? "" : " ") + std::string(line);
    }
  }
  finish();
}

void HtmlPage::list(const std::vector<std::string>& entries) {
  if (entries.empty()) return;
  body_ += "<ul>\n";
  for (const std::string& entry : entries) body_ += element("li", entry);
  body_ += "</ul>\n";
}

void HtmlPage::table(const ReportTable& t) {
  // A column of numbers is set to the right, heading included.
  std::vector<bool> number(t.columns.size(), !t.rows.empty());
  for (const auto& row : t.rows)
    for (std::size_t c = 0; c < t.columns.size(); ++c) {
      const std::string cell = c < row.size() ? row[c] : "";
      if (!numeric(cell) && !cell.empty() && cell != "\u2013") number[c] = false;
    }
  // What is too wide for the page is scrolled there and set small in print.
  constexpr std::size_t widest = 8;
  const bool wide = t.columns.size() > widest;
  body_ += wide ? "<div class=\"scroll\" tabindex=\"0\">\n<table class=\"wide\">\n" : "<table>\n";
  body_ += element("caption", "Table " + std::to_string(++tables_) + ". " + t.caption);
  body_ += "<thead><tr>\n";
  for (std::size_t c = 0; c < t.columns.size(); ++c) body_ += element("th", t.columns[c], number[c] ? "number" : "");
  body_ += "</tr></thead>\n<tbody>\n";
  for (const auto& row : t.rows) {
    body_ += "<tr>\n";
    for (std::size_t c = 0; c < t.columns.size(); ++c)
      body_ += element("td", c < row.size() && !row[c].empty() ? row[c] : "\u2013", number[c] ? "number" : "");
    body_ += "</tr>\n";
  }
  if (t.rows.empty())
    body_ += "<tr><td colspan=\"" + std::to_string(std::max<std::size_t>(1, t.columns.size())) + "\">none</td></tr>\n";
  body_ += wide ? "</tbody>\n</table>\n</div>\n" : "</tbody>\n</table>\n";
  if (!t.note.empty()) body_ += element("p", t.note, "note");
}

void HtmlPage::figure(const Picture& picture, std::string_view caption) {
  SvgOptions options;
  options.standalone = false;
  options.title = std::string(caption);
  body_ += "<figure>\n" + to_svg(picture, Theme::print(), options);
  body_ += element("figcaption", "Figure " + std::to_string(++figures_) + ". " + std::string(caption));
  body_ += "</figure>\n";
}

std::string HtmlPage::text(const std::vector<std::string>& head, std::string_view foot) const {
  std::string out = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  out += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  out += "<meta name=\"generator\" content=\"Ergode " ERGODE_VERSION "\">\n";
  out += element("title", title_);
  out += "<style>" + std::string(style) + "</style>\n</head>\n<body>\n<header>\n" + element("h1", title_);
  for (const std::string& line : head) out += element("p", line, "head");
  out += "</header>\n<nav aria-label=\"Contents\">\n";
  for (const Entry& e : contents_) out += "<a href=\"#" + e.id + "\">" + shown(e.heading) + "</a>\n";
  out += "</nav>\n<main>\n" + body_ + "</main>\n" + element("footer", foot) + "</body>\n</html>\n";
  return out;
}

}  // namespace ergode
