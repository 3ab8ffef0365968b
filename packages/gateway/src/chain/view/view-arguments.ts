import { isJsonObject, withPlainNumbers, type JsonObject } from '@gantry/mcp/exchange'
import { compileSchema, describeIssues, type CompiledSchema } from '@gantry/mcp/schema'
import { nameForms, type Filled, type ViewEntry, type ViewParameter } from '../../model/index.ts'

/** Computes the value of a parameter that the view fills in. */
export type Fill = (filled: Filled) => unknown

/** Turns the arguments that a view's clients send into those of the target. */
export class ViewArguments {
  readonly #parameters: ViewEntry['parameters']
  /** The target's own names by the names that clients use. */
  readonly #own: ReadonlyMap<string, string>
  /** The names of all parameters, in lower case: some servers ignore case. */
  readonly #taken: ReadonlySet<string>
  readonly #narrowed: CompiledSchema | undefined

  constructor({ parameters }: ViewEntry) {
    this.#parameters = parameters
    const shown = [...parameters].filter(([, { fixed }]) => !fixed)
    this.#own = new Map(shown.map(([own, { rename }]) => [rename ?? own, own]))
    this.#taken = new Set([...parameters.keys(), ...this.#own.keys()].map((name) => nameForms(name).loose))
    const narrow = shown.filter(([, parameter]) => Object.keys(parameter.narrow).length > 0)
    if (narrow.length > 0) {
      const properties = Object.fromEntries(
        narrow.map(([own, one]) => [one.rename ?? own, ofType(one.narrow)]),
      )
      this.#narrowed = compileSchema({ type: 'object', properties }, { io: 'input' })
    }
  }

  /** Why the arguments are not accepted; undefined when they are. The target checks what it demands itself. */
  async problem(given: JsonObject): Promise<string | undefined> {
    const checked = await this.#narrowed?.validate(withPlainNumbers(given))
    return !checked || checked.ok ? undefined : describeIssues(checked.issues)
  }

  /**
   * The target's name of a parameter. Undefined for a name that clients do not see, and for a name that servers could
   * confuse with a parameter of the view: Go ignores case in JSON. `declared` are the names that the target has.
   */
  ownName(name: string, declared: ReadonlySet<string>): string | undefined {
    const own = this.#own.get(name)
    if (own !== undefined || this.#parameters.has(name)) return own
    return declared.has(name) || !this.#taken.has(nameForms(name).loose) ? name : undefined
  }

  /** Values for parameters that the view hides are left out. Otherwise clients could get around the view. */
  toTarget(given: JsonObject, declared: ReadonlySet<string>, fill: Fill): JsonObject {
    const entries: [string, unknown][] = []
    for (const [name, value] of Object.entries(given)) {
      const own = this.ownName(name, declared)
      if (own !== undefined) entries.push([own, value])
    }
    const made = Object.fromEntries(entries)
    for (const [own, parameter] of this.#parameters) {
      const filled = parameter.fixed ?? (Object.hasOwn(made, own) ? undefined : parameter.default)
      if (filled) entries.push([own, fill(filled)])
    }
    return Object.fromEntries(entries)
  }
}

const TYPES: Readonly<Record<string, string>> = {
  minimum: 'number',
  maximum: 'number',
  maxLength: 'string',
  pattern: 'string',
  maxItems: 'array',
}

/** JSON Schema asks a keyword of values of its type only, and some servers take the text "900" for 900. */
function ofType(narrow: ViewParameter['narrow']): JsonObject {
  const types = new Set(Object.keys(narrow).flatMap((keyword) => TYPES[keyword] ?? []))
  return types.size === 0 ? narrow : { ...narrow, type: [...types] }
}

/** The arguments of a call or a prompt; undefined when they are no object. */
export function argumentsOf(params: JsonObject): JsonObject | undefined {
  const { arguments: given = {} } = params
  return isJsonObject(given) ? given : undefined
}
