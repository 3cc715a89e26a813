#pragma once
#include <QString>
#include <string_view>

class QWidget;

namespace ergode {

/// The folder in which the next question for a file begins: that of the model, until the user names a file elsewhere.
void begin_exports_in(const QString& folder);
/// Asks where to write a file; empty: nowhere. @param name  proposed, with its extension
QString ask_where_to_write(QWidget* parent, const QString& title, const QString& name, const QString& formats);
/// Asks for a file that is there; empty: none.
QString ask_what_to_read(QWidget* parent, const QString& title, const QString& formats);

/// Writes what the user exports: diagrams, plots, reports, traces. The file dialog has asked about replacing a file,
/// but models and stores of results are never replaced (FMT009). @returns why it was not written, or nothing.
QString write_export(const QString& path, std::string_view bytes);

}  // namespace ergode
