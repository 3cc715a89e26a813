#pragma once
#include "core/format/model_file.h"
#include "tests/gui/gui_test.h"

namespace ergode {

inline constexpr const char* repairable_system = "04_repairable_system/model.ergode";

inline Document example_document(const char* path) {
  ReadOutcome read = read_model(example(path).toStdString());
  if (!read.document) qFatal("%s cannot be read", path);
  return std::move(*read.document);
}

inline void run(MainWindow& window, quint64 replications, quint64 seed) {
  RunRequest request;
  request.solver = "simulation";
  request.replications = replications;
  request.seed = seed;
  QVERIFY(window.desk().start(request));
}

/// Starts a run and waits for its record.
inline void run_to_the_end(MainWindow& window, quint64 replications = 2000, quint64 seed = 7) {
  run(window, replications, seed);
  QTRY_VERIFY_WITH_TIMEOUT(!window.desk().run().active(), 60000);
  window.desk().poll();
}

inline QStringList unsaved_stores(const QString& state) {
  return QDir(state + QStringLiteral("/unsaved")).entryList({QStringLiteral("*.sqlite")}, QDir::Files);
}

}  // namespace ergode
