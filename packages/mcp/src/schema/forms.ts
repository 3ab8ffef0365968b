import type { JsonObject } from '../jsonrpc/index.ts'
import { type FormsOf, type JsonSchema, type OptionForms, requireKnownOptions } from '../protocol/index.ts'
import { compileSchema } from './compile-schema.ts'
import type { StandardSchema } from './standard-schema.ts'

/** One field of a form. */
export interface FormField<Value, Optional extends boolean = boolean> {
  readonly schema: JsonSchema
  readonly optional: Optional
  /** For the type checker only. */
  readonly '~value'?: Value
}

export interface FieldOptions<Value, Optional extends boolean = boolean> {
  title?: string
  description?: string
  default?: Value
  /** May be left out of the answer. Default false. */
  optional?: Optional
}

const FIELD_OPTIONS: FormsOf<FieldOptions<unknown>> = {
  title: 'text',
  description: 'text',
  default: 1,
  optional: 'true or false',
}

/** Values with their titles, or values alone. */
type Offered<Value extends string> = Readonly<Record<Value, string>> | readonly Value[]

/** One of several values: `choice({ eu: 'Europe', us: 'United States' })`. */
export function choice<const Value extends string, const Optional extends boolean = false>(
  offered: Offered<Value>,
  options: FieldOptions<NoInfer<Value>, Optional> = {},
): FormField<Value, Optional> {
  return field<Value, Optional>({ type: 'string', ...alternatives(offered, 'oneOf') }, options)
}

/** Any number of several values. */
export function choices<const Value extends string, const Optional extends boolean = false>(
  offered: Offered<Value>,
  options: FieldOptions<NoInfer<Value>[], Optional> & { minItems?: number; maxItems?: number } = {},
): FormField<Value[], Optional> {
  const { minItems, maxItems } = options
  const items = { type: 'string', ...alternatives(offered, 'anyOf') }
  return field<Value[], Optional>(
    {
      type: 'array',
      items,
      ...(minItems !== undefined && { minItems }),
      ...(maxItems !== undefined && { maxItems }),
    },
    options,
    { ...FIELD_OPTIONS, minItems: 'a number', maxItems: 'a number' },
  )
}

function alternatives<Value extends string>(offered: Offered<Value>, keyword: 'oneOf' | 'anyOf'): JsonObject {
  if (Array.isArray(offered)) return { enum: [...offered] }
  return { [keyword]: Object.entries(offered).map(([value, title]) => ({ const: value, title })) }
}

function field<Value, Optional extends boolean>(
  schema: JsonObject,
  options: FieldOptions<Value, Optional>,
  forms: OptionForms = FIELD_OPTIONS,
): FormField<Value, Optional> {
  requireKnownOptions('field', forms, options)
  const { title, description, default: preset, optional } = options
  return {
    schema: {
      ...schema,
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      ...(preset !== undefined && { default: preset }),
    },
    optional: (optional ?? false) as Optional,
  }
}

type Fields = Readonly<Record<string, FormField<unknown>>>
type ValueOf<Field> = Field extends FormField<infer Value> ? Value : never
type Flat<T> = { [K in keyof T]: T[K] }

/** The value of an answered form. */
export type FormValue<F extends Fields> = Flat<
  { -readonly [K in keyof F as F[K]['optional'] extends true ? never : K]: ValueOf<F[K]> } & {
    -readonly [K in keyof F as F[K]['optional'] extends true ? K : never]?: ValueOf<F[K]>
  }
>

/**
 * A form for `ctx.elicit`, typed by its fields.
 *
 * @example
 * ```ts
 * const { region } = await ctx.elicit('Where?', form({ region: choice({ eu: 'Europe', us: 'United States' }) }))
 * ```
 */
export function form<const F extends Fields>(fields: F): StandardSchema<FormValue<F>, FormValue<F>> {
  const entries = Object.entries(fields)
  const schema: JsonSchema = {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, { schema }]) => [name, schema])),
    required: entries.filter(([, { optional }]) => !optional).map(([name]) => name),
  }
  const compiled = compileSchema(schema, { io: 'input' })
  return {
    '~standard': {
      version: 1,
      vendor: 'gantry',
      validate: async (value) => {
        const checked = await compiled.validate(value)
        return checked.ok
          ? { value: checked.value as FormValue<F> }
          : {
              issues: checked.issues.map(({ path, message }) => ({
                message,
                path: path === '' ? [] : [path],
              })),
            }
      },
      jsonSchema: { input: () => schema, output: () => schema },
    },
  }
}
