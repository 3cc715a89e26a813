#pragma once
#include <QtTest>

// Beside `ergode`, which is a function to those who call the program.
namespace ergode_tests {

/// One file of tests in a program that holds those of a whole room: it registers itself under its name. The program is
/// told which one to run, `tests_core tst_unit [arguments of Qt Test]`, so that every file is an entry of ctest and a
/// process of its own. Without a name that it knows, it lists them on standard error and ends with code 2.
struct TestFile {
  using Run = int (*)(int argc, char** argv);
  /// @param path  of the source file: tst_unit.cpp is known as tst_unit. Of two files of one name in a program the one
  ///              registered last counts.
  /// @param run   gets the arguments from the file's name on, with the program's name as the first; returns the number
  ///              of failed tests, as QTest::qExec().
  TestFile(const char* path, Run run);
};

/// For tests that need no event loop.
template <class Class>
int run_without_application(int argc, char** argv) {
  Class test;
  return QTest::qExec(&test, argc, argv);
}

/// With a QCoreApplication around: event loop, settings, no window.
template <class Class>
int run_with_core_application(int argc, char** argv) {
  const QCoreApplication application(argc, argv);
  return run_without_application<Class>(argc, argv);
}

}  // namespace ergode_tests

// Files of tests end as Qt Test has it, and would be programs of their own but for these.
#undef QTEST_MAIN
#undef QTEST_APPLESS_MAIN
#undef QTEST_GUILESS_MAIN
#define QTEST_APPLESS_MAIN(Class) \
  static const ergode_tests::TestFile file_of_##Class(__FILE__, ergode_tests::run_without_application<Class>);
#define QTEST_GUILESS_MAIN(Class) \
  static const ergode_tests::TestFile file_of_##Class(__FILE__, ergode_tests::run_with_core_application<Class>);
#define QTEST_MAIN(Class) QTEST_GUILESS_MAIN(Class)
