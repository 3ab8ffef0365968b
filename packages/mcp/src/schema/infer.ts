import type { JsonObject } from '../jsonrpc/index.ts'

// Cheap for the type checker: one conditional per schema, which reads only the member it needs.

/** The type of the values that a schema lets through: after defaults and transformations. */
export type InferOutput<S> = S extends {
  readonly '~standard': { readonly types?: { readonly output: infer Out } | undefined }
}
  ? Out
  : InferStatic<S>

export type InferInput<S> = S extends {
  readonly '~standard': { readonly types?: { readonly input: infer In } | undefined }
}
  ? In
  : InferStatic<S>

type InferStatic<S> = S extends { readonly '~standard': unknown }
  ? unknown // A Standard Schema that does not tell its types.
  : S extends { readonly '~kind': string } | { readonly '~unsafe': unknown }
    ? StaticOfTypeBox<S>
    : S extends { readonly static: infer T; readonly params: unknown[] }
      ? T // TypeBox before 1.0 carries its static type as a phantom member.
      : JsonObject

/** The type that TypeBox 1.x's `Static` gives, for the kinds that JSON Schema can express. */
type StaticOfTypeBox<S> = S extends { '~kind': 'Object'; properties: infer P }
  ? StaticObject<P>
  : S extends { '~kind': 'String' | 'TemplateLiteral' }
    ? string
    : S extends { '~kind': 'Number' | 'Integer' }
      ? number
      : S extends { '~kind': 'Boolean' }
        ? boolean
        : S extends { '~kind': 'Null' }
          ? null
          : S extends { '~kind': 'Literal'; const: infer Value }
            ? Value
            : S extends { '~kind': 'Enum'; enum: infer Values extends readonly unknown[] }
              ? Values[number]
              : StaticOfComposite<S>

type StaticOfComposite<S> = S extends { '~kind': 'Array'; items: infer Item }
  ? StaticOfTypeBox<Item>[]
  : S extends { '~kind': 'Tuple'; items: infer Items extends readonly unknown[] }
    ? { -readonly [K in keyof Items]: StaticOfTypeBox<Items[K]> }
    : S extends { '~kind': 'Union'; anyOf: infer Types extends readonly unknown[] }
      ? StaticOfTypeBox<Types[number]>
      : S extends { '~kind': 'Intersect'; allOf: infer Types extends readonly unknown[] }
        ? StaticIntersection<Types>
        : S extends { '~kind': 'Record'; patternProperties: infer Patterns }
          ? { [key: string]: StaticOfTypeBox<Patterns[keyof Patterns]> }
          : S extends { '~unsafe': infer T }
            ? T
            : unknown

type StaticObject<P> = Flat<
  {
    [K in keyof P as P[K] extends { '~optional': true } ? never : K]: StaticOfTypeBox<P[K]>
  } & {
    [K in keyof P as P[K] extends { '~optional': true } ? K : never]?: StaticOfTypeBox<P[K]>
  }
>

type Flat<T> = { [K in keyof T]: T[K] }

type StaticIntersection<Types extends readonly unknown[]> = Types extends readonly [infer Head, ...infer Tail]
  ? StaticOfTypeBox<Head> & StaticIntersection<Tail>
  : unknown
