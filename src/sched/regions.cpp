#include "sched/regions.h"

#include <algorithm>

namespace openneuron::sched {

using isa::Opcode;

std::int32_t RegionTree::common_block(std::int32_t a, std::int32_t b) const {
  const auto depth = [&](std::int32_t x) { return blocks[static_cast<std::size_t>(x)].depth; };
  while (a != b) {
    if (depth(a) < depth(b))
      b = parent_block(b);
    else if (depth(b) < depth(a))
      a = parent_block(a);
    else
      a = parent_block(a), b = parent_block(b);
  }
  return a;
}

std::int32_t RegionTree::child_region(std::int32_t ancestor, std::int32_t block) const {
  std::int32_t region = -1;
  while (block != ancestor) {
    region = blocks[static_cast<std::size_t>(block)].region;
    block = regions[static_cast<std::size_t>(region)].parent;
  }
  return region;
}

bool RegionTree::conditional(std::int32_t block) const {
  const std::int32_t region = blocks[static_cast<std::size_t>(block)].region;
  if (region < 0) return false;
  const Region& r = regions[static_cast<std::size_t>(region)];
  if (r.kind == Opcode::WhileBegin) return block != r.first_block;
  return r.kind == Opcode::CaseBegin || r.trips < 1;
}

Result<RegionTree> build_regions(const tile::Program& program) {
  RegionTree tree;
  const auto count = program.instructions.size();
  tree.block_of.assign(count, 0);
  tree.region_of_loop.assign(program.loop_count, -1);
  tree.blocks.push_back({-1, 0, 0, static_cast<std::uint32_t>(count)});
  std::int32_t block = 0;
  isa::Instruction whole;
  const auto wrong = [](std::size_t at) {
    return fail(Code::TileRegions, "instruction " + std::to_string(at) + ": regions are not nested");
  };
  const auto open_block = [&](std::int32_t region, std::size_t at) {
    Region& r = tree.regions[static_cast<std::size_t>(region)];
    block = static_cast<std::int32_t>(tree.blocks.size());
    tree.blocks.push_back({region, tree.blocks[static_cast<std::size_t>(r.parent)].depth + 1, static_cast<std::uint32_t>(at), 0});
    r.blocks.push_back(block);
  };
  for (std::size_t i = 0; i < count; ++i) {
    const isa::Head instruction = program.instructions.head(i);
    const Opcode opcode = instruction.opcode;
    if (isa::opens_region(opcode)) {
      tree.block_of[i] = block;
      Region region;
      region.kind = opcode;
      region.loop = instruction.loop;
      region.parent = block;
      region.begin = static_cast<std::uint32_t>(i);
      region.first_block = static_cast<std::int32_t>(tree.blocks.size());
      if (opcode == Opcode::LoopBegin) {
        program.instructions.read(i, whole);
        if (whole.operands.size() == 1 && whole.operands[0].kind == isa::OperandKind::Immediate)
          region.trips = std::max<std::int64_t>(0, static_cast<std::int64_t>(whole.operands[0].immediate));
      }
      region.fixed_trips = region.trips >= 0;
      if (instruction.loop.index >= tree.region_of_loop.size()) return wrong(i);
      tree.region_of_loop[instruction.loop.index] = static_cast<std::int32_t>(tree.regions.size());
      tree.regions.push_back(region);
      open_block(static_cast<std::int32_t>(tree.regions.size()) - 1, i);
    } else if (isa::closes_region(opcode) || isa::divides_region(opcode)) {
      const std::int32_t region = tree.blocks[static_cast<std::size_t>(block)].region;
      if (region < 0) return wrong(i);
      Region& r = tree.regions[static_cast<std::size_t>(region)];
      const Opcode opener = opcode == Opcode::LoopEnd ? Opcode::LoopBegin
                            : opcode == Opcode::WhileTest || opcode == Opcode::WhileEnd ? Opcode::WhileBegin
                                                                                        : Opcode::CaseBegin;
      if (r.kind != opener || r.loop != instruction.loop) return wrong(i);
      if (opcode == Opcode::WhileTest && r.blocks.size() != 1) return wrong(i);
      if (opcode == Opcode::WhileEnd && r.blocks.size() != 2) return wrong(i);
      tree.blocks[static_cast<std::size_t>(block)].end = static_cast<std::uint32_t>(i);
      tree.block_of[i] = r.parent;
      if (isa::divides_region(opcode)) {
        open_block(region, i);
      } else {
        r.end = static_cast<std::uint32_t>(i);
        block = r.parent;
        // Passed on when the region closes, so that the region around sees its children.
        const std::int32_t around = tree.blocks[static_cast<std::size_t>(block)].region;
        if (around >= 0 && !r.fixed_trips) tree.regions[static_cast<std::size_t>(around)].fixed_trips = false;
      }
    } else {
      tree.block_of[i] = block;
    }
  }
  if (block != 0) return wrong(count);
  return tree;
}

}  // namespace openneuron::sched
