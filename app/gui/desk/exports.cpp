#include "app/gui/desk/exports.h"

#include "app/session/overwrite.h"
#include "core/base/atomic_file.h"

namespace ergode {

QString write_export(const QString& path, std::string_view bytes) {
  const std::string file = path.toStdString();
  auto why = refuse_overwrite(file, {.force = true});
  if (!why) why = write_file_atomically(file, bytes);
  if (!why) return {};
  return QString::fromStdString(why->code + ": " + why->message + (why->hint.empty() ? "" : " " + why->hint));
}

}  // namespace ergode
