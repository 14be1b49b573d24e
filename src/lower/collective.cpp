// What meets other cores: dense runs of HBM, handed to the collective cores by the Sync engine.
#include "isa/table.h"
#include "lower/function.h"

namespace openneuron::lower {

using isa::Opcode;
using isa::Operand;

namespace {

bool in_one_piece(const View& v) {
  std::int64_t stride = 1;
  for (std::size_t d = v.dims.size(); d-- > 0;) {
    if (v.dims[d].size > 1 && v.dims[d].stride != stride) return false;
    stride *= v.dims[d].size;
  }
  return v.kind == ViewKind::Memory;
}

}  // namespace

// The elements of a view one after the other in HBM, where they lie or copied.
Result<Operand> FunctionLowerer::dense(const View& v) {
  View source = v;
  if (!in_one_piece(v)) {
    std::vector<std::int64_t> shape;
    for (const ViewDim& d : v.dims) shape.push_back(d.size);
    const HomeId home = store_.add("dense", v.type, shape, now_);
    const Form form = store_.new_hbm(home);
    source = whole(home, v.type, shape);
    ON_TRY(copy_view(store_, v, source, form));
    store_.add_form(home, form);
  }
  store_.make_hbm(source.home);
  const Use use[] = {{Use::Dim, 1, source.count(), LoopId()}};
  auto operand = store_.operand(source.home, *store_.hbm(source.home), source.offset, use, 1);
  if (!operand) return fail(Code::Internal, "dense elements in HBM cannot be addressed");
  return *operand;
}

Result<void> FunctionLowerer::collective(OpId op) {
  const std::string_view kind = module_.text(function_, op, "kind"), by = module_.text(function_, op, "op");
  auto source = dense(view(function_.operand(op, 0)));
  if (!source) return source.failure();
  auto groups = dense(view(function_.operand(op, 1)));
  if (!groups) return groups.failure();
  const auto& size = shape(function_.operand(op, 1));
  groups->partition_count = static_cast<std::uint16_t>(size[0]);
  groups->partition_stride = size[1] * byte_width(groups->type);
  groups->dims[0].count = size[1];
  const Form form = result_in_hbm(op);
  const View& result = view(function_.result(op));
  const Use use[] = {{Use::Dim, 1, result.count(), LoopId()}};
  auto target = store_.operand(result.home, form, 0, use, 1);
  std::int32_t number = -1;
  for (int k = 0; k < isa::kCollectiveKindCount; ++k)
    if (isa::collective_name(static_cast<isa::CollectiveKind>(k)) == kind) number = k;
  isa::AluOp alu = isa::AluOp::Bypass;
  if (number < 0 || !target || !isa::alu_from_name(by, alu)) return fail(Code::Internal, "the collective has no instruction");
  emitter().emit(Opcode::Collective, {*target, *source, *groups}, {number, static_cast<std::int32_t>(alu)});
  return {};
}

Result<void> FunctionLowerer::partition_id(OpId op) {
  const Form form = result_in_hbm(op);
  auto target = store_.operand(view(function_.result(op)).home, form, 0, {}, 1);
  if (!target) return fail(Code::Internal, "one element in HBM cannot be addressed");
  emitter().emit(Opcode::RankId, {*target});
  return {};
}

}  // namespace openneuron::lower
