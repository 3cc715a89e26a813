#include "app/gui/main_window.h"

namespace ergode {

QString MainWindow::export_report(const QString&) { return tr("no report yet"); }

}  // namespace ergode
