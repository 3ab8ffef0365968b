export type TemplateVariables = Record<string, string | string[]>

/** The variables of a URI template (RFC 6570) by the text of the template; any names when it is not a literal. */
export type VariablesOf<Uri extends string> = string extends Uri ? TemplateVariables : Flat<Expressions<Uri>>

type Flat<T> = { [K in keyof T]: T[K] }

type Expressions<Uri extends string> = Uri extends `${string}{${infer Body}}${infer Rest}`
  ? Expression<Body> & Expressions<Rest>
  : unknown

/** Variables behind these operators may be absent from a URI that matches. */
type Expression<Body extends string> = Body extends `${'/' | '?' | '&' | ';' | '.' | '#'}${infer Names}`
  ? Partial<Variables<Names>>
  : Body extends `+${infer Names}`
    ? Variables<Names>
    : Variables<Body>

type Variables<Names extends string> = Names extends `${infer First},${infer Rest}`
  ? Variable<First> & Variables<Rest>
  : Variable<Names>

type Variable<Spec extends string> = Spec extends `${infer Name}*`
  ? Record<Name, string[]>
  : Spec extends `${infer Name}:${string}`
    ? Record<Name, string>
    : Record<Spec, string>
