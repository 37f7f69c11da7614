// SPDX-License-Identifier: Apache-2.0
// The grammar of declarations: registers, variables with their initialisers, and function headers (PTX ISA §5, §11).
#include <bit>
#include <utility>

#include "warpfold/ptx/grammar_tokens.h"

namespace warpfold::ptx::syntax {
namespace {

struct TypeWords : x3::symbols<Type> {
  TypeWords() {
    add(".b8", Type::kB8)(".b16", Type::kB16)(".b32", Type::kB32)(".b64", Type::kB64)(".b128", Type::kB128);
    add(".u8", Type::kU8)(".u16", Type::kU16)(".u32", Type::kU32)(".u64", Type::kU64);
    add(".s8", Type::kS8)(".s16", Type::kS16)(".s32", Type::kS32)(".s64", Type::kS64);
    add(".f16", Type::kF16)(".f16x2", Type::kF16x2)(".bf16", Type::kBf16)(".bf16x2", Type::kBf16x2);
    add(".f32", Type::kF32)(".f64", Type::kF64)(".pred", Type::kPred);
    add(".texref", Type::kTexref)(".samplerref", Type::kSamplerref)(".surfref", Type::kSurfref);
  }
};

struct SpaceWords : x3::symbols<Space> {
  SpaceWords() {
    add(".reg", Space::kReg)(".const", Space::kConst)(".global", Space::kGlobal)(".local", Space::kLocal);
    add(".param", Space::kParam)(".shared", Space::kShared)(".tex", Space::kTex);
  }
};

struct LinkageWords : x3::symbols<Linkage> {
  LinkageWords() {
    add(".extern", Linkage::kExtern)(".visible", Linkage::kVisible)(".weak", Linkage::kWeak);
    add(".common", Linkage::kCommon);
  }
};

struct WidthWords : x3::symbols<unsigned> {
  WidthWords() { add(".v2", 2)(".v4", 4)(".v8", 8); }
};

// What begins the next thing of a module. An older compiler's declaration of a function ends in front of it.
struct ModuleWords : x3::symbols<> {
  ModuleWords() {
    add(".extern")(".visible")(".weak")(".common")(".entry")(".func")(".const")(".global")(".local")(".shared")(".tex");
    add(".alias")(".file")(".loc")(".section")(".version")(".target")(".address_size");
  }
};

const TypeWords kTypes;
const SpaceWords kSpaces;
const LinkageWords kLinkages;
const WidthWords kWidths;
const ModuleWords kModuleWords;

const auto word = [](const auto& words) { return x3::lexeme[words >> !word_char]; };

// --- what stands in front of the names -------------------------------------------------------------------------------
const auto set_linkage = [](auto& context) { x3::_val(context).linkage = x3::_attr(context); };
const auto set_space = [](auto& context) { x3::_val(context).space = x3::_attr(context); };
const auto set_type = [](auto& context) {
  x3::_val(context).type = x3::_attr(context);
  x3::_val(context).has_type = true;
};
const auto set_width = [](auto& context) { x3::_val(context).vector_width = x3::_attr(context); };
const auto set_align = [](auto& context) { x3::_val(context).align = x3::_attr(context); };
const auto good_alignment = [](auto& context) {
  x3::_val(context) = x3::_attr(context);
  x3::_pass(context) = std::has_single_bit(x3::_attr(context)) && x3::_attr(context) <= kLargestAlignment;
};
const auto set_managed = [](auto& context) { x3::_val(context).managed = true; };
const auto set_pointer = [](auto& context) { x3::_val(context).is_pointer = true; };
const auto set_pointee_space = [](auto& context) { x3::_val(context).pointee_space = x3::_attr(context); };
const auto set_pointee_align = [](auto& context) { x3::_val(context).pointee_align = x3::_attr(context); };
const auto set_declared_place = [](auto& context) { x3::_val(context).at = x3::_attr(context).begin(); };

const x3::rule<struct AlignmentTag, std::uint64_t> byte_count{"alignment"};
const auto byte_count_def = natural[good_alignment];
BOOST_SPIRIT_DEFINE(byte_count)
constexpr const char* kAlignment = "an alignment, a power of two up to 65536";
const auto alignment = keyword(".align") >> expect(kAlignment, byte_count[set_align]);
const auto pointer = keyword(".ptr")[set_pointer] >> -word(kSpaces)[set_pointee_space] >>
                     -(keyword(".align") >> expect(kAlignment, byte_count[set_pointee_align]));
const auto attribute = keyword(".attribute") >> expect("'('", x3::lit('(')) >>
                       (keyword(".managed")[set_managed] |
                        (keyword(".unified") >> '(' >> natural >> ',' >> natural >> ')')) >>
                       expect("')'", x3::lit(')'));

// Old PTX numbers the constant banks: .const[2].
const auto space = word(kSpaces)[set_space] >> -('[' >> natural >> ']');

const x3::rule<struct SpecifiersTag, Specifiers> specifiers{"declaration"};
const auto specifiers_def = x3::raw[x3::eps][set_declared_place] >> -word(kLinkages)[set_linkage] >>
                            expect("a state space", space) >>
                            *(alignment | pointer | attribute | word(kWidths)[set_width] | word(kTypes)[set_type]);
BOOST_SPIRIT_DEFINE(specifiers)

// --- initialisers ----------------------------------------------------------------------------------------------------
const auto init_kind = [](InitToken::Kind kind) {
  return [kind](auto& context) {
    x3::_val(context).kind = kind;
    x3::_val(context).at = x3::_attr(context).begin();
  };
};
const auto init_number = [](auto& context) {
  x3::_val(context).kind = InitToken::Kind::kNumber;
  x3::_val(context).number = x3::_attr(context);
};
const auto init_symbol = [](auto& context) {
  x3::_val(context).kind = InitToken::Kind::kSymbol;
  x3::_val(context).symbol = x3::_attr(context);
};
const auto init_offset = [](auto& context) { x3::_val(context).offset = x3::_attr(context); };
const auto init_generic = [](auto& context) { x3::_val(context).generic = true; };
const auto init_mask = [](auto& context) { x3::_val(context).mask = x3::_attr(context); };

const auto generic_symbol = keyword("generic") >> x3::lit('(')[init_generic] >> expect("a symbol", name[init_symbol]) >>
                            -offset[init_offset] >> expect("')'", x3::lit(')')) >> -offset[init_offset];
const auto plain_symbol = name[init_symbol] >> -offset[init_offset];
const auto any_symbol = generic_symbol | plain_symbol;
const auto masked_symbol = natural[init_mask] >> '(' >> expect("a symbol", any_symbol) >> expect("')'", x3::lit(')'));
const x3::rule<struct InitValueTag, InitToken> init_value{"initial value"};
const auto init_value_def = x3::raw[x3::eps][init_kind(InitToken::Kind::kNumber)] >>
                            (masked_symbol | constant[init_number] | any_symbol);
BOOST_SPIRIT_DEFINE(init_value)

const x3::rule<struct InitMarkTag, InitToken> init_mark{"initialiser"};
const auto init_mark_def = x3::raw[x3::lit('{')][init_kind(InitToken::Kind::kOpen)] |
                           x3::raw[x3::lit('}')][init_kind(InitToken::Kind::kClose)] |
                           x3::raw[x3::lit(',')][init_kind(InitToken::Kind::kComma)];
BOOST_SPIRIT_DEFINE(init_mark)

// --- names -----------------------------------------------------------------------------------------------------------
const auto set_declared_name = [](auto& context) {
  x3::_val(context).name = x3::_attr(context);
  x3::_val(context).at = x3::_attr(context).data();
};
const auto set_family = [](auto& context) {
  x3::_val(context).is_family = true;
  x3::_val(context).family = x3::_attr(context);
};
const auto add_dimension = [](auto& context) {
  const Number& size = x3::_attr(context);
  x3::_pass(context) = size.kind == OperandKind::kInteger && !size.negative;
  x3::_val(context).dimensions.push_back(size.bits);
};
const auto add_open_dimension = [](auto& context) { x3::_val(context).dimensions.push_back(0); };
const auto add_init_token = [](auto& context) {
  const InitToken& token = x3::_attr(context);
  if (token.kind == InitToken::Kind::kOpen) ++x3::_val(context).open_braces;
  if (token.kind == InitToken::Kind::kClose) --x3::_val(context).open_braces;
  x3::_val(context).initialiser.push_back(token);
};
const auto in_braces = [](auto& context) {
  x3::_pass(context) = x3::_val(context).open_braces > 0 || x3::_val(context).initialiser.empty();
};
const auto set_initialised = [](auto& context) { x3::_val(context).has_initialiser = true; };

const auto family = '<' >> expect("a register count", natural[set_family]) >> expect("'>'", x3::lit('>'));
const auto dimension = '[' >> (x3::lit(']')[add_open_dimension] |
                               (expect("an array size", constant[add_dimension]) >> expect("']'", x3::lit(']'))));
// A list is taken as a flat run of tokens; variables.cpp knows the dimensions and checks the nesting.
const auto init_list = &x3::lit('{') >>
                       +(x3::eps[in_braces] >> (init_mark[add_init_token] | init_value[add_init_token]));
const auto initialiser = x3::lit('=')[set_initialised] >>
                         expect("an initial value", init_list | init_value[add_init_token]);

const x3::rule<struct DeclaratorTag, Declarator> declarator{"declarator"};
const auto declarator_def = name[set_declared_name] >> -family >> *dimension >> -initialiser;
BOOST_SPIRIT_DEFINE(declarator)

const auto set_specifiers = [](auto& context) { x3::_val(context).specifiers = x3::_attr(context); };
const auto add_declarator = [](auto& context) {
  x3::_val(context).declarators.push_back(std::move(x3::_attr(context)));
};

const x3::rule<struct DeclarationTag, Declaration> declaration{"declaration"};
const auto declaration_def = specifiers[set_specifiers] >> expect("a name", declarator[add_declarator]) >>
                             *(',' >> expect("a name", declarator[add_declarator])) >>
                             expect("',' or ';'", x3::lit(';'));
BOOST_SPIRIT_DEFINE(declaration)

const x3::rule<struct ParameterTag, Declaration> parameter{"parameter"};
const auto parameter_def = specifiers[set_specifiers] >> expect("a name", declarator[add_declarator]);
BOOST_SPIRIT_DEFINE(parameter)

// --- function headers ------------------------------------------------------------------------------------------------
const auto directive_name = [](auto& context) {
  x3::_val(context).name = text_of(x3::_attr(context));
  x3::_val(context).at = x3::_attr(context).begin();
};
const auto directive_value = [](auto& context) { x3::_val(context).values.push_back(x3::_attr(context)); };
const auto string = x3::lexeme['"' >> *(x3::char_ - '"') >> '"'];

const x3::rule<struct DirectiveTag, Directive> directive{"directive"};
const auto directive_def = !word(kModuleWords) >> x3::raw[x3::lexeme['.' >> +word_char]][directive_name] >>
                           -((natural[directive_value] >> *(',' >> expect("a number", natural[directive_value]))) |
                             (string % ',' >> expect("';'", x3::lit(';'))));
BOOST_SPIRIT_DEFINE(directive)

const auto set_entry = [](auto& context) { x3::_val(context).is_entry = true; };
const auto add_return = [](auto& context) { x3::_val(context).returns.push_back(std::move(x3::_attr(context))); };
const auto add_param = [](auto& context) { x3::_val(context).params.push_back(std::move(x3::_attr(context))); };
const auto add_directive = [](auto& context) { x3::_val(context).directives.push_back(std::move(x3::_attr(context))); };
const auto set_function_name = [](auto& context) {
  x3::_val(context).name = x3::_attr(context);
  x3::_val(context).at = x3::_attr(context).data();
};
const auto set_body = [](auto& context) { x3::_val(context).has_body = true; };
const auto is_device_function = [](auto& context) { x3::_pass(context) = !x3::_val(context).is_entry; };

// PTX up to 4.x as compilers wrote it: a device function's declaration may go without its ';'.
const auto unmarked_end = x3::eps[is_device_function] >> &(word(kModuleWords) | x3::eoi);

const auto parameters = [](const auto& add) {
  return '(' >> (x3::lit(')') | (parameter[add] >> *(',' >> parameter[add]) >> expect("',' or ')'", x3::lit(')'))));
};

const x3::rule<struct FunctionHeaderTag, FunctionHeader> function_header{"function"};
const auto function_header_def = -word(kLinkages)[set_linkage] >>
                                 expect("'.entry' or '.func'", keyword(".entry")[set_entry] | keyword(".func")) >>
                                 *directive[add_directive] >> -parameters(add_return) >>
                                 expect("a function name", name[set_function_name]) >> -parameters(add_param) >>
                                 *directive[add_directive] >>
                                 expect("'{' or ';'", x3::lit('{')[set_body] | x3::lit(';') | unmarked_end);
BOOST_SPIRIT_DEFINE(function_header)

const x3::rule<struct PrototypeTag, FunctionHeader> prototype{"prototype"};
const auto prototype_def = keyword(".callprototype") >> -parameters(add_return) >>
                           expect("'_'", name[set_function_name]) >> -parameters(add_param) >>
                           *directive[add_directive] >> expect("';'", x3::lit(';'));
BOOST_SPIRIT_DEFINE(prototype)

const auto set_label = [](auto& context) { x3::_val(context).name = x3::_attr(context); };
const x3::rule<struct LabelNameTag, LabelName> label_name{"label"};
const auto label_name_def = name[set_label] >> -family;
BOOST_SPIRIT_DEFINE(label_name)

const auto add_label = [](auto& context) { x3::_val(context).push_back(x3::_attr(context)); };
const x3::rule<struct LabelsTag, std::vector<LabelName>> labels{"labels"};
const auto labels_def = expect("a name", label_name[add_label]) >> *(',' >> expect("a name", label_name[add_label])) >>
                        expect("',' or ';'", x3::lit(';'));
BOOST_SPIRIT_DEFINE(labels)

}  // namespace

Declaration read_declaration(const SourceText& source, const char*& at) {
  return run<Declaration>(source, at, declaration, "a declaration");
}

FunctionHeader read_function_header(const SourceText& source, const char*& at) {
  return run<FunctionHeader>(source, at, function_header, "a function");
}

FunctionHeader read_prototype(const SourceText& source, const char*& at) {
  return run<FunctionHeader>(source, at, prototype, "a prototype");
}

std::vector<LabelName> read_labels(const SourceText& source, const char*& at) {
  return run<std::vector<LabelName>>(source, at, labels, "names");
}

}  // namespace warpfold::ptx::syntax
