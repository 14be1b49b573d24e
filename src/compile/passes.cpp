#include "compile/passes.h"

#include "opt/expand_linear_algebra.h"
#include "opt/expand_random.h"
#include "opt/fix_sizes.h"
#include "opt/inline_calls.h"
#include "opt/legalise.h"
#include "opt/legalise_collectives.h"
#include "opt/split_complex.h"
#include "opt/split_dots.h"
#include "opt/split_words.h"
#include "opt/unroll.h"

namespace openneuron::compile {
namespace {

constexpr Pass kPasses[] = {
    {{"inline_calls", Level::Graph, "Puts private functions and composites in the place of their calls.", false}, opt::inline_calls},
    {{"fix_sizes", Level::Graph, "Turns operands that are sizes into attributes.", false}, opt::fix_sizes},
    {{"expand_random", Level::Graph, "Makes random bits of 32-bit arithmetic.", false}, opt::expand_random},
    {{"legalise_collectives", Level::Graph, "Gives collectives one form, on 32-bit elements.", false}, opt::legalise_collectives},
    {{"expand_linear_algebra", Level::Graph, "Makes loops over columns of matrix factors, and float contractions of integer ones.", false}, opt::expand_linear_algebra},
    {{"split_words", Level::Graph, "Makes 64-bit integers of 32-bit words.", false}, opt::split_words},
    {{"split_complex", Level::Graph, "Makes complex numbers of their real and imaginary parts.", false}, opt::split_complex},
    {{"unroll", Level::Graph, "Replaces short counted loops by their turns.", true}, opt::unroll},
    {{"split_dots", Level::Graph, "Makes one contraction for each part that is read of it.", true}, opt::split_dots},
    {{"legalise", Level::Graph, "Replaces ops that others express, folds constants, merges equal ops.", false}, opt::legalise},
    {{"lower", Level::Tile, "Cuts the graph into groups, chooses layouts, emits tile programs.", false}, nullptr},
    {{"stamp", Level::Tile, "Lowers groups that repeat once and copies their instructions.", true}, nullptr},
    {{"fuse", Level::Tile, "Makes one instruction of neighbours that one can do.", true}, nullptr},
    {{"interleave", Level::Tile, "Reorders instructions, and puts turns of loops side by side, so that engines overlap.", true}, nullptr},
    {{"allocate", Level::Tile, "Gives every buffer its address by linear scan.", false}, nullptr},
    {{"add_copies", Level::Tile, "Gives rotating buffers as many copies as fit, so that loads run ahead.", true}, nullptr},
    {{"assign_engines", Level::Tile, "Gives every instruction its engine and DMA queue.", false}, nullptr},
    {{"rebalance_engines", Level::Tile, "Spreads free instructions over Vector, Scalar and GpSimd by cost.", true}, nullptr},
    {{"residency", Level::Tile, "Keeps values in SBUF between groups while they fit.", true}, nullptr},
    {{"emit_streams", Level::Stream, "Splits the program into streams and derives semaphores.", false}, nullptr},
    {{"prune_waits", Level::Stream, "Drops waits that others imply.", true}, nullptr},
};

constexpr std::size_t kCount = sizeof(kPasses) / sizeof(kPasses[0]);

struct Infos {
  PassInfo rows[kCount];
  constexpr Infos() : rows{} {
    for (std::size_t i = 0; i < kCount; ++i) rows[i] = kPasses[i].info;
  }
};
constexpr Infos kInfos;

}  // namespace

std::span<const Pass> pass_table() { return kPasses; }
std::span<const PassInfo> passes() { return kInfos.rows; }

const Pass* find_pass(std::string_view name) {
  for (const Pass& p : kPasses)
    if (p.info.name == name) return &p;
  return nullptr;
}

}  // namespace openneuron::compile
