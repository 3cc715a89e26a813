#pragma once
#include <sqlite3.h>

#include <cstdint>
#include <string>
#include <utility>

#include "core/base/diagnostic.h"

/// What the store's files share; nobody else sees SQLite.
namespace ergode::sqlite {

/// A diagnostic about the store at `path`.
Diagnostic refusal(const char* code, const std::string& path, const std::string& message, std::string hint = {});
/// What SQLite says of its last error, with what the user can do.
Diagnostic failure(const char* code, const std::string& path, sqlite3* database);
bool execute(sqlite3* database, const char* sql);

/// A transaction that is undone unless it was committed.
class Transaction {
 public:
  explicit Transaction(sqlite3* database) : database_(database), open_(execute(database, "BEGIN IMMEDIATE")) {}
  ~Transaction() { undo(); }
  void undo() {
    if (std::exchange(open_, false)) execute(database_, "ROLLBACK");
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  bool begun() const { return open_; }
  bool commit() {
    if (!open_ || !execute(database_, "COMMIT")) return false;
    open_ = false;
    return true;
  }

 private:
  sqlite3* database_;
  bool open_;
};

/// A prepared statement; ends with its scope.
class Statement {
 public:
  Statement(sqlite3* database, const char* sql) {
    if (sqlite3_prepare_v2(database, sql, -1, &statement_, nullptr) != SQLITE_OK) statement_ = nullptr;
  }
  ~Statement() { end(); }
  void end() { sqlite3_finalize(std::exchange(statement_, nullptr)); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  void bind(const std::string& text) {
    ok_ = ok_ && sqlite3_bind_text64(statement_, ++bound_, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8) ==
                     SQLITE_OK;
  }
  void bind_blob(const std::string& bytes) {
    ok_ = ok_ && sqlite3_bind_blob64(statement_, ++bound_, bytes.data(), bytes.size(), SQLITE_TRANSIENT) == SQLITE_OK;
  }
  void bind(std::int64_t number) { ok_ = ok_ && sqlite3_bind_int64(statement_, ++bound_, number) == SQLITE_OK; }
  void bind(double number) { ok_ = ok_ && sqlite3_bind_double(statement_, ++bound_, number) == SQLITE_OK; }
  /// SQLITE_ROW, SQLITE_DONE or an error.
  int step() { return statement_ != nullptr && ok_ ? sqlite3_step(statement_) : SQLITE_ERROR; }
  std::string text(int column) const {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    if (bytes == nullptr) return {};
    return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
  }
  std::string blob(int column) const {
    const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
    if (bytes == nullptr) return {};
    return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
  }
  std::int64_t integer(int column) const { return sqlite3_column_int64(statement_, column); }
  double real(int column) const { return sqlite3_column_double(statement_, column); }

 private:
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
  bool ok_ = true;
};

}  // namespace ergode::sqlite
