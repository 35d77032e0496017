// Base class of the machine-learning motifs: the model that is trained, and the time of its computation
// (docs/motifs/machine_learning.md, with the sources of the numbers).
#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "motifs/application/application.hpp"

namespace stressbench {

enum class Model { resnet50, bert_large, gpt2, gpt3_175b, llama2_7b, llama3_70b, mixtral_8x7b };
template <>
struct Names<Model> {
  static constexpr std::array values{std::pair{std::string_view{"resnet-50"}, Model::resnet50},
                                     std::pair{std::string_view{"bert-large"}, Model::bert_large},
                                     std::pair{std::string_view{"gpt2"}, Model::gpt2},
                                     std::pair{std::string_view{"gpt3-175b"}, Model::gpt3_175b},
                                     std::pair{std::string_view{"llama2-7b"}, Model::llama2_7b},
                                     std::pair{std::string_view{"llama3-70b"}, Model::llama3_70b},
                                     std::pair{std::string_view{"mixtral-8x7b"}, Model::mixtral_8x7b}};
};

// Number format in which gradients, weights and activations are sent. MPI has no 16-bit floating point: elements of two
// bytes are summed as MPI_SHORT.
enum class NumberFormat { fp32, bf16 };

namespace training {

struct Shape {
  std::int64_t parameters;
  std::int64_t active;  // parameters used for one token
  std::int64_t layers;
  std::int64_t hidden;  // width of a layer's output; 0: differs between layers (ResNet)
};

constexpr Shape shape_of(Model model) noexcept {
  constexpr std::array shapes{
      Shape{25'557'032, 25'557'032, 16, 0},           Shape{336'226'108, 336'226'108, 24, 1024},
      Shape{124'439'808, 124'439'808, 12, 768},       Shape{174'600'000'000, 174'600'000'000, 96, 12288},
      Shape{6'738'415'616, 6'738'415'616, 32, 4096},  Shape{70'553'706'496, 70'553'706'496, 80, 8192},
      Shape{46'702'792'704, 12'879'925'248, 32, 4096}};
  return shapes[static_cast<std::size_t>(model)];
}

inline constexpr std::int64_t max_parameters = std::numeric_limits<std::int64_t>::max() / 1024;

}  // namespace training

class Training : public Application {
 protected:
  std::int64_t parameters() const { return *parameters_ > 0 ? *parameters_ : training::shape_of(*model_).parameters; }
  std::int64_t layers() const { return *layers_ > 0 ? *layers_ : training::shape_of(*model_).layers; }
  std::int64_t hidden() const { return *hidden_ > 0 ? *hidden_ : training::shape_of(*model_).hidden; }
  // If the parameters do not divide evenly, the first layers have one more each.
  std::int64_t layer_parameters(std::int64_t layer) const {
    return parameters() / layers() + (layer < parameters() % layers() ? 1 : 0);
  }
  std::int64_t element_bytes() const { return *precision_ == NumberFormat::fp32 ? 4 : 2; }
  calls::ElementType element_type() const {
    return *precision_ == NumberFormat::fp32 ? calls::ElementType::floats : calls::ElementType::shorts;
  }
  std::int64_t tokens() const { return *tokens_; }
  // 2 operations per token and active parameter in the forward pass, 4 in the backward pass (Kaplan et al. 2020).
  double forward_ns(double parameters) const {
    const training::Shape shape = training::shape_of(*model_);
    const double share =
        *parameters_ > 0 ? 1.0 : static_cast<double>(shape.active) / static_cast<double>(shape.parameters);
    return 2e9 * share * parameters * static_cast<double>(*tokens_) / *flops_;
  }
  double backward_ns(double parameters) const { return 2 * forward_ns(parameters); }
  // Size of a layer's output for `tokens` tokens. check_hidden() rejects models that have no single width.
  std::int64_t activation_bytes(std::int64_t tokens) const { return tokens * hidden() * element_bytes(); }
  void check_hidden() const {
    if (hidden() == 0)
      throw ParameterMistake("hidden", "--hidden: " + model_.text() + " has no single width; give --width");
  }

 private:
  Param<Model> model_{this, "model", Model::gpt2,
                      "model that gives the numbers of parameters and layers and the width"};
  Param<std::int64_t> parameters_{this, "parameters", 0, "of the model; 0: as --model",
                                  AtMost{training::max_parameters}};
  Param<std::int64_t> layers_{this, "layers", 0, "of the model; 0: as --model", AtMost{100'000}};
  Param<std::int64_t> hidden_{this, "hidden", 0, "width of a layer; 0: as --model", AtMost{1'000'000}};
  Param<NumberFormat> precision_{this, "precision", NumberFormat::bf16, "number format of the data sent"};
  Param<std::int64_t> tokens_{this,       "tokens",
                              8192,       "tokens that a rank processes in one step (ResNet: images x 160)",
                              Positive{}, AtMost{int_max}};
  Param<double> flops_{this, "flops", 400e12, "operations per second that a rank sustains", Positive{}};
};

}  // namespace stressbench
