#pragma once
#include <string>
#include <vector>

namespace ergode {

/// A file that is part of the programs; the functions are written by CMake.
struct EmbeddedFile {
  std::string name;  ///< "redundant_pair", "02_station_blackout", "time"
  std::string text;
};
/// Copies of the files built in; for whoever reads them once (gallery.h, manual.h).
std::vector<EmbeddedFile> embedded_templates();
std::vector<EmbeddedFile> embedded_examples();
std::vector<EmbeddedFile> embedded_help();
/// Files that examples name, as "24_a100_month/trace.csv".
std::vector<EmbeddedFile> embedded_data();

}  // namespace ergode
