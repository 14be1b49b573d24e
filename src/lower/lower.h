// Graph -> tile: the entry of this folder.
#pragma once
#include <string>
#include <vector>

#include "base/part_times.h"
#include "base/result.h"
#include "graph/module.h"
#include "machine/machine.h"
#include "tile/module.h"

namespace openneuron::lower {

/// Which axis lies on partitions, by group in order: tests of the planner's choice force it and read what there was.
struct Layouts {
  struct Choice {
    int candidates = 0, chosen = -1;  ///< axes that could lie on partitions; the index of the one that does
  };
  std::vector<int> forced;            ///< an index among the candidates; below 0, too large or missing: the planner's
  std::vector<Choice> made;
};

struct Options {
  bool rotate = true;       ///< tiles of loops have two copies, so that one is filled while the other is read
  double residency = 0.6;   ///< share of SBUF that values may fill; the rest is for running tiles
  PartTimes* parts = nullptr;
  Layouts* layouts = nullptr;
  bool stamp = true;        ///< groups that repeat are copied; the result is the same without
};

/// Lowers the entry function. Inputs are HBM variables input0, ..., outputs output0, ...; an input with
/// tf.aliasing_output = k shares its memory with output k. `report` receives the layouts chosen, one line a group.
/// errors  ON-E1702 no lowering, ON-E1703 element type, NCC_EMOD025 dynamic shape; with the op and its location
Result<tile::Module> lower(const graph::Module& module, const Machine& machine, const Options& options, std::string& report);

}  // namespace openneuron::lower
