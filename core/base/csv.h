#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ergode {

/// Rows of cells, as RFC 4180 (Shafranovich, Common format for CSV files, 2005) has it: cells may be quoted, quotes in
/// them doubled, line breaks in them kept; lines end in LF, CRLF or CR; a UTF-8 byte order mark is skipped; empty lines
/// are skipped. Rows may differ in length. O(length).
/// @param lines  gets the line of the text, from 1, in which each row begins
/// @returns the rows, or one sentence that names the line of the first fault.
std::variant<std::vector<std::vector<std::string>>, std::string> parse_csv(std::string_view text,
                                                                           std::vector<std::uint32_t>* lines = nullptr);

/// A column of a header, found by its name.
struct HeaderColumn {
  std::size_t place = 0;  ///< the first of that name; the size of the header: there is none
  std::string twice;      ///< "column 'gpus' is there twice, as columns 3 and 5; wanted one"; empty: it is not
};
/// The first of `names` that a cell of the header is, spaces around it aside. Where another cell says the same nobody
/// knows which of the two is meant. O(columns), for each name.
HeaderColumn header_column(const std::vector<std::string>& header, std::initializer_list<std::string_view> names);

/// The numbers of one column of a CSV text.
///
/// @param file    its name, for messages.
/// @param column  a header cell's text, or else the 1-based number of the column. The first row is a header when its
///                cell in that column is no number; so a number in the first row names no column.
/// Every row has as many cells as the first, and no other column has that name. Of a single column an empty line
/// between numbers is a row without its number.
/// @returns the numbers (at least one), or one sentence that names the file, line, cell seen and what was wanted.
/// Values are as written: their unit is the caller's to know. O(length).
std::variant<std::vector<double>, std::string> csv_column(std::string_view text, const std::string& file,
                                                          std::string_view column);

/// The numbers of one column, and all that is wrong with its rows.
struct CsvNumbers {
  std::vector<double> values;
  std::vector<std::uint32_t> rows;    ///< by value: the line of the file in which its row begins, from 1
  std::vector<std::string> problems;  ///< "a.csv, row 5: 'x', wanted ...", at most as many as were asked for
  std::size_t untold = 0;             ///< problems beyond these
};
/// As csv_column(), but rows that are wrong are left out and told, all of them.
/// @param most  problems that are told, >= 1
/// @returns the numbers, perhaps none, or one sentence where the text is no CSV or has no such column.
std::variant<CsvNumbers, std::string> csv_numbers(std::string_view text, const std::string& file,
                                                  std::string_view column, std::size_t most);

/// Whether csv_cell() puts an apostrophe before a text.
inline bool is_guarded(std::string_view text) {
  return !text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos;
}

/// One cell of text as it must be written: quoted only where RFC 4180 needs it. Control characters other than line ends
/// and tabs become visible escapes, and a text that a spreadsheet would take for a formula (it begins with = + - @, a
/// tab or a carriage return) gets an apostrophe before it. OWASP, CSV injection.
std::string csv_cell(std::string_view text);
/// Cells of text as a row, which ends in LF.
std::string csv_row(const std::vector<std::string>& cells);

}  // namespace ergode
