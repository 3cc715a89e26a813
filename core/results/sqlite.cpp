#include "core/results/sqlite.h"

#include <string_view>

namespace ergode::sqlite {

Diagnostic refusal(const char* code, const std::string& path, const std::string& message, std::string hint) {
  Diagnostic d;
  d.code = code;
  d.pointer = path;
  d.message = message;
  d.hint = std::move(hint);
  return d;
}

Diagnostic failure(const char* code, const std::string& path, sqlite3* database) {
  std::string what = "there is not enough memory";
  if (database != nullptr) what = sqlite3_errcode(database) == SQLITE_OK ? "it is damaged" : sqlite3_errmsg(database);
  const std::string_view kind = code;
  const char* wanted = kind == "RES006" ? "written" : kind == "RES003" ? "opened" : "read";
  std::string hint;
  if (database != nullptr) {
    const int error = sqlite3_errcode(database) & 0xff;
    if (error == SQLITE_FULL || error == SQLITE_IOERR) hint = "Free some space; earlier runs are unchanged.";
    else if (error == SQLITE_BUSY || error == SQLITE_LOCKED) hint = "Another program holds the store: try again.";
    else if (error == SQLITE_NOTADB || error == SQLITE_CORRUPT)
      hint = "This is no result store, or it is damaged: name another file.";
    else if (error == SQLITE_CANTOPEN || error == SQLITE_READONLY) hint = "Choose a folder you may write to.";
  }
  return refusal(code, path, "The result store " + path + " cannot be " + wanted + ": " + what + ".", std::move(hint));
}

bool execute(sqlite3* database, const char* sql) {
  return sqlite3_exec(database, sql, nullptr, nullptr, nullptr) == SQLITE_OK;
}

bool has_table(sqlite3* database, const std::string& name) {
  Statement known(database, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?");
  known.bind(name);
  return known.step() == SQLITE_ROW;
}

}  // namespace ergode::sqlite
