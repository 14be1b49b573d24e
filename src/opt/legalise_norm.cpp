// Batch normalisation by the specification's formulas, in fp32: means over all dims but the feature's.
#include "opt/apply_region.h"
#include "opt/legalise_rules.h"
#include "opt/moves.h"

namespace openneuron::opt::rules {
namespace {

using graph::OpKind;

class Norm {
 public:
  explicit Norm(Visit& v) : v_(v), f_(v), m_(v) {
    shape_ = v.out.type(v.operands[0]).shape;
    const graph::Module& module = v.out.module();
    feature_ = module.attribute(v.attr("feature_index")).integer;
    epsilon_ = module.attribute(v.attr("epsilon")).real;
    for (std::int64_t d = 0; d < static_cast<std::int64_t>(shape_.size()); ++d) {
      if (d == feature_) continue;
      others_.push_back(d);
      count_ *= static_cast<double>(shape_[static_cast<std::size_t>(d)]);
    }
  }

  bool fits() const { return is_float(m_.element(v_.operands[0])) && bit_width(m_.element(v_.operands[0])) <= 32; }
  ValueId operand(std::size_t i) { return f_.to(v_.operands[i], ElementType::F32); }
  ValueId spread(ValueId per_feature) { return m_.broadcast(per_feature, shape_, {feature_}); }
  ValueId sum(ValueId x) { return reduce_with(v_, OpKind::Add, x, others_); }
  ValueId mean(ValueId x) { return f_.div(sum(x), count_); }
  ValueId deviation(ValueId variance) { return f_.sqrt(f_.add(variance, epsilon_)); }
  void result(std::size_t i, ValueId value) {
    v_.map[v_.old.result(v_.op, i)] = f_.to(value, v_.out.module().type(v_.result_type(i)).element);
  }
  // (x - mean) / deviation * scale + offset, the per-feature factors multiplied first.
  ValueId normalised(ValueId centred, ValueId variance, ValueId scale, ValueId offset) {
    const ValueId factor = spread(f_.div(scale, deviation(variance)));
    return f_.add(f_.mul(centred, factor), spread(offset));
  }

  bool training() {
    const ValueId x = operand(0), scale = operand(1), offset = operand(2), average = mean(x);
    const ValueId centred = f_.sub(x, spread(average)), variance = mean(f_.mul(centred, centred));  // biased
    result(0, normalised(centred, variance, scale, offset));
    result(1, average);
    result(2, variance);
    return true;
  }
  bool inference() {
    const ValueId x = operand(0), scale = operand(1), offset = operand(2), average = spread(operand(3)), variance = operand(4);
    result(0, normalised(f_.sub(x, average), variance, scale, offset));
    return true;
  }
  bool gradient() {
    const ValueId scale = operand(1), variance = operand(3), g = operand(4);
    const ValueId x = operand(0), centred = f_.sub(x, spread(operand(2))), root = deviation(variance);
    const ValueId sum_g = sum(g), sum_gc = sum(f_.mul(g, centred));
    const ValueId along = spread(f_.div(sum_gc, f_.add(variance, epsilon_)));
    const ValueId rest = f_.sub(f_.sub(f_.mul(g, count_), spread(sum_g)), f_.mul(along, centred));
    result(0, f_.mul(rest, spread(f_.div(f_.div(scale, root), count_))));
    result(1, f_.div(sum_gc, root));
    result(2, sum_g);
    return true;
  }

 private:
  Visit& v_;
  Formula f_;
  Moves m_;
  Shape shape_, others_;
  std::int64_t feature_ = 0;
  double epsilon_ = 0, count_ = 1;
};

}  // namespace

Result<bool> batch_norm_training(Rewriter&, Visit& v) {
  Norm n(v);
  return n.fits() && n.training();
}
Result<bool> batch_norm_inference(Rewriter&, Visit& v) {
  Norm n(v);
  return n.fits() && n.inference();
}
Result<bool> batch_norm_grad(Rewriter&, Visit& v) {
  Norm n(v);
  return n.fits() && n.gradient();
}

}  // namespace openneuron::opt::rules
