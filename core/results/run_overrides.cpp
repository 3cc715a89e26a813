// What was set for a run, where the list can read it without the results. A table of its own, made with the first run
// that has any: older versions read the store as before.
#include <unordered_map>

#include "core/results/result_store.h"
#include "core/results/sqlite.h"

namespace ergode {

using sqlite::execute;
using sqlite::Statement;

bool ResultStore::has_overrides() const { return sqlite::has_table(database_.get(), "overrides"); }

bool ResultStore::make_overrides_table() {
  return execute(database_.get(),
                 "CREATE TABLE IF NOT EXISTS overrides(run_id TEXT NOT NULL, name TEXT NOT NULL, text TEXT NOT NULL, "
                 "PRIMARY KEY(run_id, name))");
}

bool ResultStore::write_overrides(const Provenance& run) {
  if (run.overrides.empty()) return true;
  if (!make_overrides_table()) return false;
  for (const auto& [name, text] : run.overrides) {
    Statement insert(database_.get(), "INSERT INTO overrides(run_id, name, text) VALUES(?, ?, ?)");
    insert.bind(run.run_id);
    insert.bind(name);
    insert.bind(text);
    if (insert.step() != SQLITE_DONE) return false;
  }
  return true;
}

void ResultStore::read_overrides(std::vector<RunRecord>& runs) const {
  if (!has_overrides()) return;
  std::unordered_map<std::string, RunRecord*> by_id;
  for (RunRecord& run : runs) by_id[run.run_id] = &run;
  Statement select(database_.get(), "SELECT run_id, name, text FROM overrides");
  while (select.step() == SQLITE_ROW)
    if (const auto run = by_id.find(select.text(0)); run != by_id.end())
      run->second->overrides[select.text(1)] = select.text(2);
}

}  // namespace ergode
