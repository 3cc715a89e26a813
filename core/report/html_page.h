#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/drawing/picture.h"
#include "core/report/report_section.h"

namespace ergode {

/// Puts a self-contained HTML 5 page together: no scripts, no outside resources. Everything handed in as text is
/// escaped. Tables and figures are numbered; headings are collected for the contents.
///
/// Calls append in their order; section() and appendix() begin a part, which what follows belongs to. Texts are UTF-8.
///
///     HtmlPage page("Station blackout");
///     page.section("Results");
///     page.table({.caption = "Measures", .columns = {"Measure", "Estimate"}, .rows = rows});
///     const std::string file = page.text({"Made by Ergode"}, "End of report");
class HtmlPage {
 public:
  explicit HtmlPage(std::string title) : title_(std::move(title)) {}

  /// A numbered section (level 2) or a part of one (level 3, not numbered).
  void section(std::string_view heading);
  /// A lettered part after the sections: "A", "B", ...
  void appendix(std::string_view heading);
  /// A heading within a section, not numbered and not in the contents.
  void heading(std::string_view text);
  void paragraph(std::string_view text);
  /// Says that something is missing, so that the reader does not look for it.
  void missing(std::string_view text);
  /// A paragraph that stands out.
  void warning(std::string_view text);
  /// Lines of a user's notes: blank lines part paragraphs, lines beginning with "-" make a list.
  void notes(std::string_view text);
  /// Nothing for an empty list.
  void list(const std::vector<std::string>& entries);
  /// Fixed-width lines as they are.
  void code(std::string_view text);
  /// A numbered table with its caption above and its note below; short rows are filled with empty cells. A column in
  /// which every cell is a number, empty or a dash is set to the right.
  void table(const ReportTable& table);
  /// Picture with a numbered caption; `title` is read out by assistive tools.
  void figure(const Picture& picture, std::string_view caption);

  /// The whole page. @param head  lines below the title; @param foot  the last paragraph.
  std::string text(const std::vector<std::string>& head, std::string_view foot) const;

 private:
  struct Entry {
    std::string id, heading;
  };
  void open_section(std::string number, std::string_view heading);
  std::string title_, body_;
  std::vector<Entry> contents_;
  int sections_ = 0, appendices_ = 0, tables_ = 0, figures_ = 0;
};

}  // namespace ergode
