#include "opt/inline_calls.h"

#include <unordered_map>

#include "opt/rewrite.h"

namespace openneuron::opt {
namespace {

using graph::OpKind;

Result<bool> set_results(Visit& v, Result<std::vector<ValueId>> values) {
  if (!values) return values.failure();
  std::size_t i = 0;
  for (ValueId r : v.old.results(v.op)) v.map[r] = (*values)[i++];
  return true;
}

Result<bool> inline_symbol(Rewriter& rewriter, Visit& v, std::string_view attribute) {
  const AttrId symbol = v.attr(attribute);
  const FunctionId callee = symbol.valid() ? rewriter.find_old(v.out.module().attribute(symbol).text) : FunctionId();
  if (!callee.valid())
    return fail(Code::UnknownCallee, "calls a function that the module does not have");
  return set_results(v, rewriter.inline_body(v.out, callee, v.operands));
}

Result<bool> visit(Rewriter& rewriter, Visit& v) {
  switch (v.kind()) {
    case OpKind::Call:
      return inline_symbol(rewriter, v, "callee");
    case OpKind::Composite:
      return inline_symbol(rewriter, v, "decomposition");
    case OpKind::SdyManualComputation:
      return set_results(v, rewriter.inline_body(v.out, v.old.regions(v.op)[0], v.operands));
    case OpKind::SdyShardingConstraint:
    case OpKind::SdyReshard:
    case OpKind::UnrealizedConversionCast: {
      std::size_t i = 0;
      for (ValueId r : v.old.results(v.op)) v.map[r] = v.operands[i++];
      return true;
    }
    default:
      return false;
  }
}

}  // namespace

Result<void> inline_calls(graph::Module& module) { return Rewriter(module, visit).run(); }

}  // namespace openneuron::opt
