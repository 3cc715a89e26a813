#pragma once
#include <sqlite3.h>

#include <cstdint>
#include <string>
#include <utility>

#include "core/base/diagnostic.h"

/// What the store's files share; nobody else sees SQLite.
namespace ergode::sqlite {

/// A diagnostic about the store at `path`, which becomes its pointer.
Diagnostic refusal(const char* code, const std::string& path, const std::string& message, std::string hint = {});
/// What SQLite says of its last error on this connection, with what the user can do: "cannot be written" for RES006,
/// "opened" for RES003, "read" for others. `database` may be null: no memory. Before anything else is done on the
/// connection, which would change the last error.
Diagnostic failure(const char* code, const std::string& path, sqlite3* database);
bool has_table(sqlite3* database, const std::string& name);
/// One or more statements without results. False: SQLite's last error says why; those before the one that failed are
/// done, unless a transaction undoes them.
bool execute(sqlite3* database, const char* sql);

/// A transaction that is undone unless it was committed. Takes the write lock at once (BEGIN IMMEDIATE), waiting as
/// long as the connection's busy timeout; begun() says whether it got it.
class Transaction {
 public:
  /// @param database  must outlive it, as it must the statements below
  explicit Transaction(sqlite3* database) : database_(database), open_(execute(database, "BEGIN IMMEDIATE")) {}
  ~Transaction() { undo(); }
  void undo() {
    if (std::exchange(open_, false)) execute(database_, "ROLLBACK");
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  bool begun() const { return open_; }
  /// False: it is not on disk, and is undone with the scope.
  bool commit() {
    if (!open_ || !execute(database_, "COMMIT")) return false;
    open_ = false;
    return true;
  }

 private:
  sqlite3* database_;
  bool open_;
};

/// A prepared statement; ends with its scope, or by end(), which comes before the commit of a transaction that it
/// writes in. Errors of preparing and binding show in step(), which then is SQLITE_ERROR. Arguments are bound in the
/// order of their places.
///
///     Statement select(database, "SELECT run_id FROM run WHERE solver = ?");
///     select.bind(solver);
///     while (select.step() == SQLITE_ROW) ids.push_back(select.text(0));
class Statement {
 public:
  Statement(sqlite3* database, const char* sql) {
    if (sqlite3_prepare_v2(database, sql, -1, &statement_, nullptr) != SQLITE_OK) statement_ = nullptr;
  }
  ~Statement() { end(); }
  void end() { sqlite3_finalize(std::exchange(statement_, nullptr)); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  /// Each binds the next argument, from the first on; texts and blobs are copied.
  void bind(const std::string& text) {
    ok_ = ok_ && sqlite3_bind_text64(statement_, ++bound_, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8) ==
                     SQLITE_OK;
  }
  /// The same without a copy: the text stays as it is until end(), or for as long as the statement.
  void bind_kept(const std::string& text) {
    ok_ = ok_ &&
          sqlite3_bind_text64(statement_, ++bound_, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8) == SQLITE_OK;
  }
  void bind_blob(const std::string& bytes) {
    ok_ = ok_ && sqlite3_bind_blob64(statement_, ++bound_, bytes.data(), bytes.size(), SQLITE_TRANSIENT) == SQLITE_OK;
  }
  void bind(std::int64_t number) { ok_ = ok_ && sqlite3_bind_int64(statement_, ++bound_, number) == SQLITE_OK; }
  void bind(double number) { ok_ = ok_ && sqlite3_bind_double(statement_, ++bound_, number) == SQLITE_OK; }
  /// SQLITE_ROW, SQLITE_DONE or an error.
  /// Again after each row; SQLITE_BUSY comes only after the connection's timeout.
  int step() { return statement_ != nullptr && ok_ ? sqlite3_step(statement_) : SQLITE_ERROR; }
  /// Of the row that step() stands at, columns counted from 0; NULL is empty or 0. The database must outlive the
  /// statement.
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
