#include "app/gui/desk/exports.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>

#include "app/session/overwrite.h"
#include "core/base/atomic_file.h"

namespace ergode {
namespace {

QString& folder_now() {
  static QString folder = QDir::homePath();
  return folder;
}

QString named(const QString& path) {
  if (!path.isEmpty()) folder_now() = QFileInfo(path).absolutePath();
  return path;
}

}  // namespace

void begin_exports_in(const QString& folder) { folder_now() = folder; }

QString ask_where_to_write(QWidget* parent, const QString& title, const QString& name, const QString& formats) {
  return named(QFileDialog::getSaveFileName(parent, title, QDir(folder_now()).filePath(name), formats));
}

QString ask_what_to_read(QWidget* parent, const QString& title, const QString& formats) {
  return named(QFileDialog::getOpenFileName(parent, title, folder_now(), formats));
}

QString write_export(const QString& path, std::string_view bytes) {
  const std::string file = path.toStdString();
  auto why = refuse_overwrite(file, {.force = true});
  if (!why) why = write_file_atomically(file, bytes);
  if (!why) return {};
  return QString::fromStdString(why->code + ": " + why->message + (why->hint.empty() ? "" : " " + why->hint));
}

}  // namespace ergode
