#pragma once
#include <string>

namespace ergode {

/// Where the run records of a model are kept unless the user says otherwise: beside the model,
/// "plant/model.ergode" -> "plant/model.results.sqlite"; a file of another format keeps its ending, "tree.dft" ->
/// "tree.dft.results.sqlite", so that no two models share a store. The path of a store is itself. Both front ends use
/// this rule, so either finds the other's runs.
std::string default_store_path(const std::string& model_path);

/// Removes a store with the files that the database keeps beside it; nothing where there is none. Only for stores of
/// models that were never saved.
void remove_store(const std::string& path);

}  // namespace ergode
