#include "app/gui/program/workbench.h"
#include "core/base/freed_memory.h"

int main(int argc, char** argv) {
  ergode::keep_freed_memory();
  return ergode::run_workbench(argc, argv);
}
