#pragma once
#include <QLabel>
#include <QTableWidget>
#include <QWidget>
#include <functional>
#include <string>
#include <variant>

namespace ergode {

/// The first rows of a CSV file as a table, for who chooses a column of it: a click on a column chooses it, and the
/// chosen one is marked. Also says how many rows there are, and why there is no table.
class CsvPreview : public QWidget {
  Q_OBJECT
 public:
  /// Text of a file that is named; or why there is none.
  using Read = std::function<std::variant<std::string, QString>(const QString& name)>;
  explicit CsvPreview(Read read, QWidget* parent = nullptr);
  /// Reads the file where it is another than before.
  /// @param column  name or number of the chosen one; empty: the first
  void show_file(const QString& name, const QString& column);
  /// What columns are called: the cells of the first row where these are no numbers, else "1", "2", ...
  QStringList columns() const { return columns_; }

 Q_SIGNALS:
  void chosen(const QString& column);

 private:
  void fill(const std::string& text);
  void mark(const QString& column);

  Read read_;
  QTableWidget* table_;
  QLabel* told_;
  QString file_;
  QStringList columns_;
};

}  // namespace ergode
