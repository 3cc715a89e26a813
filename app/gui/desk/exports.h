#pragma once
#include <QString>
#include <string_view>

namespace ergode {

/// Writes what the user exports: diagrams, plots, reports, traces. The file dialog has asked about replacing a file,
/// but models and stores of results are never replaced (FMT009). @returns why it was not written, or nothing.
QString write_export(const QString& path, std::string_view bytes);

}  // namespace ergode
