// SPDX-License-Identifier: Apache-2.0
// The grammar of one instruction statement (PTX ISA §4.3, §6 operands, §9.3 predicated execution).
#include <utility>

#include "warpfold/ptx/grammar_tokens.h"

namespace warpfold::ptx::syntax {
namespace {

// Where an operand starts: names and opening brackets say so first, later parts leave it alone.
void start_at(Operand& operand, const char* at) {
  if (operand.at == nullptr) operand.at = at;
}

const auto set_name = [](auto& context) {
  x3::_val(context).kind = OperandKind::kSymbol;
  x3::_val(context).name = x3::_attr(context);
  start_at(x3::_val(context), x3::_attr(context).data());
};
const auto set_component = [](auto& context) { x3::_val(context).component = x3::_attr(context); };
const auto set_offset = [](auto& context) {
  x3::_val(context).has_offset = true;
  x3::_val(context).offset = x3::_attr(context);
};
// a[3] is a[12] bytes further in words.
const auto set_element = [](auto& context) {
  x3::_val(context).has_element = true;
  x3::_val(context).offset = x3::_attr(context);
};
const auto set_number = [](auto& context) {
  x3::_val(context).kind = x3::_attr(context).kind;
  x3::_val(context).number = x3::_attr(context);
};
const auto set_place = [](auto& context) { start_at(x3::_val(context), x3::_attr(context).begin()); };
const auto set_negated = [](auto& context) { x3::_val(context).negated = true; };
const auto open = [](OperandKind kind) {
  return [kind](auto& context) {
    x3::_val(context).kind = kind;
    start_at(x3::_val(context), x3::_attr(context).begin());
  };
};
const auto take = [](auto& context) {
  const char* at = x3::_val(context).at;
  x3::_val(context) = std::move(x3::_attr(context));
  if (at != nullptr) x3::_val(context).at = at;
};
const auto append = [](auto& context) { x3::_val(context).elements.push_back(std::move(x3::_attr(context))); };
const auto append_partner = [](auto& context) {
  Operand& self = x3::_val(context);
  Operand pair;
  pair.kind = OperandKind::kPair;
  pair.at = self.at;
  pair.elements.push_back(std::move(self));
  pair.elements.push_back(std::move(x3::_attr(context)));
  self = std::move(pair);
};
const auto set_unified = [](auto& context) { x3::_val(context).unified = true; };
// One plain element between brackets is an address, anything else a texture's or tensor's tuple.
const auto close_bracket = [](auto& context) {
  Operand& self = x3::_val(context);
  if (self.elements.size() == 1 && self.elements[0].kind != OperandKind::kVector) self.kind = OperandKind::kAddress;
};

const x3::rule<struct ComponentTag, std::string_view> component{"component"};
const auto component_def = x3::raw[x3::ascii::lower >> *word_char][keep_text];
BOOST_SPIRIT_DEFINE(component)

const x3::rule<struct ReferenceTag, Operand> reference{"reference"};
const auto reference_def =
    x3::lexeme[name[set_name] >> -('.' >> expect("a component such as .x", component[set_component]))] >>
    -(('[' >> expect("the constant index of an element", integer[set_element]) >> expect("']'", x3::lit(']'))) |
      offset[set_offset]);
BOOST_SPIRIT_DEFINE(reference)

const x3::rule<struct LiteralTag, Operand> literal{"literal"};
const auto literal_def = x3::raw[&(x3::char_("0-9.+~!(-") | keyword("WARP_SZ"))][set_place] >> constant[set_number];
BOOST_SPIRIT_DEFINE(literal)

const x3::rule<struct SimpleTag, Operand> simple{"simple operand"};
const auto simple_def = literal[take] | reference[take];
BOOST_SPIRIT_DEFINE(simple)

const x3::rule<struct VectorTag, Operand> vector{"vector"};
const auto vector_def = x3::raw[x3::lit('{')][open(OperandKind::kVector)] >> expect("an operand", simple[append]) >>
                        *(',' >> expect("an operand", simple[append])) >> expect("',' or '}'", x3::lit('}'));
BOOST_SPIRIT_DEFINE(vector)

const x3::rule<struct ElementTag, Operand> element{"element"};
const auto element_def = simple[take] | vector[take];
BOOST_SPIRIT_DEFINE(element)

const x3::rule<struct BracketsTag, Operand> brackets{"address"};
const auto brackets_def = x3::raw[x3::lit('[')][open(OperandKind::kTuple)] >> expect("an address", element[append]) >>
                          *(',' >> expect("an operand", element[append])) >>
                          expect("',' or ']'", x3::raw[x3::lit(']')][close_bracket]);
BOOST_SPIRIT_DEFINE(brackets)

const x3::rule<struct ListTag, Operand> list{"argument list"};
const auto list_def = x3::raw[x3::lit('(')][open(OperandKind::kList)] >>
                      -(element[append] >> *(',' >> expect("an argument", element[append]))) >>
                      expect("',' or ')'", x3::lit(')'));
BOOST_SPIRIT_DEFINE(list)

const x3::rule<struct NegationTag, Operand> negation{"negated predicate"};
const auto negation_def = (x3::raw[x3::lit('!')][set_place] >> expect("a predicate", reference[take]) |
                           x3::raw['-' >> &x3::lit('%')][set_place] >> reference[take]) >>
                          x3::eps[set_negated];
BOOST_SPIRIT_DEFINE(negation)

const x3::rule<struct PartnerTag, Operand> partner{"partner"};
const auto partner_def = simple[take] | negation[take];
BOOST_SPIRIT_DEFINE(partner)

const x3::rule<struct OperandTag, Operand> operand{"operand"};
const auto operand_def = (simple[take] >> -('|' >> expect("an operand", partner[append_partner]))) | vector[take] |
                         (brackets[take] >> -keyword(".unified")[set_unified]) | list[take] | negation[take];
BOOST_SPIRIT_DEFINE(operand)

// (5) is a list here, elsewhere a number.
const x3::rule<struct CallOperandTag, Operand> call_operand{"operand of a call"};
const auto call_operand_def = list[take] | operand[take];
BOOST_SPIRIT_DEFINE(call_operand)

const auto set_start = [](auto& context) {
  if (x3::_val(context).at == nullptr) x3::_val(context).at = x3::_attr(context).begin();
};
const auto set_guarded = [](auto& context) {
  x3::_val(context).guarded = true;
  x3::_val(context).at = x3::_attr(context).begin();
};
const auto set_guard_negated = [](auto& context) { x3::_val(context).guard_negated = true; };
const auto set_guard = [](auto& context) { x3::_val(context).guard = x3::_attr(context); };
const auto set_opcode = [](auto& context) { x3::_val(context).opcode = text_of(x3::_attr(context)); };
const auto append_operand = [](auto& context) { x3::_val(context).operands.push_back(std::move(x3::_attr(context))); };

const auto is_call = [](auto& context) {
  const std::string_view opcode = x3::_val(context).opcode;
  x3::_pass(context) = opcode.substr(0, opcode.find('.')) == "call";
};
const auto operands_of = [](const auto& one) {
  return one[append_operand] >> *(',' >> expect("an operand", one[append_operand]));
};

const auto modifier = +(x3::ascii::alnum | x3::char_('_'));
const auto opcode = x3::raw[x3::lexeme[x3::ascii::alpha >> *(x3::ascii::alnum | x3::char_('_')) >>
                                       *((x3::lit('.') | "::") >> expect("a modifier", modifier))]];

const x3::rule<struct InstructionTag, Instruction> instruction{"instruction"};
const auto instruction_def = -(x3::raw[x3::lit('@')][set_guarded] >> -x3::raw[x3::lit('!')][set_guard_negated] >>
                               expect("a predicate register", name[set_guard])) >>
                             x3::raw[x3::eps][set_start] >> expect("an instruction", opcode[set_opcode]) >>
                             -(x3::eps[is_call] >> operands_of(call_operand) | operands_of(operand)) >>
                             expect("',' or ';'", x3::lit(';'));
BOOST_SPIRIT_DEFINE(instruction)

}  // namespace

Instruction read_instruction(const SourceText& source, const char*& at) {
  return run<Instruction>(source, at, instruction, "an instruction");
}

}  // namespace warpfold::ptx::syntax
