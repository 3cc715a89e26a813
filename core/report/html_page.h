#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/drawing/picture.h"
#include "core/report/report_section.h"

namespace ergode {

/// Puts a self-contained HTML 5 page together: no scripts, no outside resources. Everything handed in as text is
/// escaped. Tables and figures are numbered; headings are collected for the contents.
class HtmlPage {
 public:
  explicit HtmlPage(std::string title) : title_(std::move(title)) {}

  /// A numbered section (level 2) or a part of one (level 3, not numbered).
  void section(std::string_view heading);
  void appendix(std::string_view heading);
  void heading(std::string_view text);
  void paragraph(std::string_view text);
  /// Says that something is missing, so that the reader does not look for it.
  void missing(std::string_view text);
  void warning(std::string_view text);
  /// Lines of a user's notes: blank lines part paragraphs, lines beginning with "-" make a list.
  void notes(std::string_view text);
  void list(const std::vector<std::string>& entries);
  void code(std::string_view text);
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
