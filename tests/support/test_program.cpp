#include "tests/support/test_program.h"

#include <cstdio>
#include <filesystem>
#include <map>
#include <string>

namespace ergode_tests {
namespace {

std::map<std::string, TestFile::Run>& files() {
  static std::map<std::string, TestFile::Run> all;
  return all;
}

}  // namespace

TestFile::TestFile(const char* path, Run run) { files()[std::filesystem::path(path).stem().string()] = run; }

}  // namespace ergode_tests

int main(int argc, char** argv) {
  const auto& files = ergode_tests::files();
  const auto wanted = argc > 1 ? files.find(argv[1]) : files.end();
  if (wanted == files.end()) {
    std::fprintf(stderr, "usage: %s FILE [arguments of Qt Test]; FILE is one of\n", argv[0]);
    for (const auto& file : files) std::fprintf(stderr, "  %s\n", file.first.c_str());
    return 2;
  }
  argv[1] = argv[0];
  return wanted->second(argc - 1, argv + 1);
}
