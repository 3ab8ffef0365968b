import { isJsonObject, type JsonObject } from '@gantry/mcp/exchange'
import { referredSchema, schemaParts, type ViewParameter } from '../../model/index.ts'
import { withoutUnused } from './unused-definitions.ts'

type Parameters = ReadonlyMap<string, ViewParameter>

/** The schema of a tool's arguments as a view shows it, wherever in it a parameter is declared. */
export function shapeSchema(schema: JsonObject, parameters: Parameters): JsonObject {
  const shown = new SchemaShaper(schema, parameters).shape(schema, [])
  return withoutUnused({ ...shown, properties: shown.properties ?? {} })
}

/** Parts that are written out in the place of references, at most. */
const MOST_PARTS = 1_000
/** Parts that are looked at, again and again, to find out what others say. */
const MOST_LOOKS = 50_000
const CONDITION = ['if', 'then', 'else'] as const

class SchemaShaper {
  readonly #root: JsonObject
  readonly #parameters: Parameters
  readonly #names = new WeakMap<JsonObject, ReadonlySet<string>>()
  readonly #excluded = new WeakMap<object, boolean>()
  #parts = 0
  #looks = MOST_LOOKS

  constructor(root: JsonObject, parameters: Parameters) {
    this.#root = root
    this.#parameters = parameters
  }

  /** `within`: the parts around this one, so that a schema that refers to itself has an end. */
  shape(part: JsonObject, within: readonly JsonObject[]): JsonObject {
    if (within.includes(part) || ++this.#parts > MOST_PARTS) return {}
    const around = [...within, part]
    const shown: JsonObject = { ...part }
    const all = asList(part.allOf).map((one) => this.#shapeAny(one, around))
    this.#shapeNames(shown)
    this.#shapeDependents(shown, around, all)
    this.#shapeBranches(shown, around, all)
    this.#shapeConditions(shown, around, all)
    this.#writeReferences(shown, around, all)
    if (all.length > 0) shown.allOf = all
    return shown
  }

  #shapeAny(part: unknown, within: readonly JsonObject[]): unknown {
    return isJsonObject(part) ? this.shape(part, within) : part
  }

  #shapeNames(shown: JsonObject): void {
    const { properties, required, propertyNames } = shown
    if (isJsonObject(properties)) shown.properties = this.#properties(properties)
    if (Array.isArray(required)) {
      const names = this.#asked(required)
      if (names.length > 0) shown.required = names
      else delete shown.required
    }
    if (isJsonObject(propertyNames) && Array.isArray(propertyNames.enum)) {
      shown.propertyNames = {
        ...propertyNames,
        enum: propertyNames.enum.flatMap((name) => this.#shownName(name)),
      }
    }
    if (typeof shown.minProperties === 'number') {
      shown.minProperties = Math.max(
        0,
        shown.minProperties - this.#countOf((one) => one.fixed ?? one.default),
      )
    }
    if (typeof shown.maxProperties === 'number') {
      shown.maxProperties = Math.max(0, shown.maxProperties - this.#countOf(({ fixed }) => fixed))
    }
    for (const key of ['default', 'const'] as const)
      if (isJsonObject(shown[key])) shown[key] = this.#example(shown[key])
    for (const key of ['examples', 'enum'] as const) {
      if (Array.isArray(shown[key])) shown[key] = shown[key].map((one: unknown) => this.#example(one))
    }
  }

  #properties(properties: JsonObject): JsonObject {
    return Object.fromEntries(
      Object.entries(properties).flatMap(([name, property]): [string, unknown][] => {
        const parameter = this.#parameters.get(name)
        if (!parameter) return [[name, property]]
        return parameter.fixed ? [] : [[parameter.rename ?? name, shapeProperty(property, parameter)]]
      }),
    )
  }

  /** Clients need not say what the view fills in. */
  #asked(names: readonly unknown[]): unknown[] {
    return names.flatMap((name) => (this.#parameters.get(String(name))?.default ? [] : this.#shownName(name)))
  }

  #shownName(name: unknown): unknown[] {
    const parameter = this.#parameters.get(String(name))
    return parameter?.fixed ? [] : [parameter?.rename ?? name]
  }

  #example(value: unknown): unknown {
    if (!isJsonObject(value)) return value
    const entries = Object.entries(value)
    return Object.fromEntries(
      entries.flatMap(([name, one]) => this.#shownName(name).map((shown) => [shown, one])),
    )
  }

  #countOf(what: (parameter: ViewParameter) => unknown): number {
    return [...this.#parameters.values()].filter(what).length
  }

  /** Rules that depend on a parameter which always has a value always hold. */
  #shapeDependents(shown: JsonObject, within: readonly JsonObject[], all: unknown[]): void {
    for (const key of ['dependentRequired', 'dependentSchemas', 'dependencies']) {
      const { [key]: dependents } = shown
      if (!isJsonObject(dependents)) continue
      const kept = Object.entries(dependents).flatMap(([name, what]): [string, unknown][] => {
        const shaped = Array.isArray(what) ? this.#asked(what) : this.#shapeAny(what, within)
        const parameter = this.#parameters.get(name)
        const isFilled = parameter?.fixed ?? parameter?.default
        if (isFilled) all.push(Array.isArray(shaped) ? { required: shaped } : shaped)
        return isFilled ? [] : [[parameter?.rename ?? name, shaped]]
      })
      shown[key] = Object.fromEntries(kept)
    }
  }

  /** Without what the view fills in, one call can fit several branches: the target tells them apart. */
  #shapeBranches(shown: JsonObject, within: readonly JsonObject[], all: unknown[]): void {
    for (const key of ['anyOf', 'oneOf']) {
      const given = asList(shown[key])
      if (given.length === 0) continue
      const possible = given.filter((one) => !this.#isExcluded(one))
      const shaped = possible.map((one) => this.#shapeAny(one, within))
      delete shown[key]
      if (possible.length === 0) continue
      if (key === 'oneOf' && given.some((one) => this.#fillsIn(one))) all.push({ anyOf: shaped })
      else shown[key] = shaped
    }
  }

  /** Whether a part can never hold, as it wants other values than the view allows. */
  #isExcluded(part: unknown): boolean {
    return this.#partsOf(directParts(part)).some((one) => {
      const properties = one?.properties
      return (
        isJsonObject(properties) &&
        [...this.#parameters].some(
          ([name, parameter]) =>
            Object.hasOwn(properties, name) && this.#excludes(properties[name], parameter),
        )
      )
    })
  }

  #excludes(property: unknown, parameter: ViewParameter): boolean {
    if (!isJsonObject(property)) return excludes(property, parameter)
    const known = this.#excluded.get(property) ?? excludes(property, parameter)
    this.#excluded.set(property, known)
    return known
  }

  #partsOf(part: unknown, { denied = false } = {}): readonly (JsonObject | undefined)[] {
    const parts = schemaParts(part, this.#root, { most: Math.min(MOST_PARTS, this.#looks), denied })
    this.#looks -= parts.length
    return parts
  }

  #shapeConditions(shown: JsonObject, within: readonly JsonObject[], all: unknown[]): void {
    if (shown.not !== undefined) {
      if (this.#fillsIn(shown.not)) delete shown.not
      else shown.not = this.#shapeAny(shown.not, within)
    }
    if (shown.if !== undefined && this.#fillsIn(shown.if)) {
      const holds = { allOf: [shown.if, shown.then ?? {}] }
      all.push({ anyOf: [holds, shown.else ?? {}].map((one) => this.#shapeAny(one, within)) })
      for (const key of CONDITION) delete shown[key]
    } else {
      for (const key of CONDITION)
        if (Object.hasOwn(shown, key)) shown[key] = this.#shapeAny(shown[key], within)
    }
  }

  /** A definition that declares parameters of the view is written out: others may refer to it for other values. */
  #writeReferences(shown: JsonObject, within: readonly JsonObject[], all: unknown[]): void {
    for (const key of ['$ref', '$dynamicRef']) {
      const { [key]: reference } = shown
      if (typeof reference !== 'string') continue
      const found = referredSchema(reference, this.#root)
      if (!isJsonObject(found) || !this.#mentions(found, () => true)) continue
      delete shown[key]
      const shaped = this.shape(found, within)
      if (Object.keys(shaped).length > 0) all.push(shaped)
    }
  }

  #fillsIn(part: unknown): boolean {
    return this.#mentions(part, (parameter) => (parameter.fixed ?? parameter.default) !== undefined)
  }

  /** A schema that takes too many looks counts as one that does. */
  #mentions(part: unknown, wanted: (parameter: ViewParameter) => boolean): boolean {
    const names = [...this.#parameters].filter(([, parameter]) => wanted(parameter)).map(([name]) => name)
    if (names.length === 0) return false
    if (this.#looks <= 0) return true
    return this.#partsOf(part, { denied: true }).some(
      (one) => one && (isAboutAll(one) || names.some((name) => this.#namesIn(one).has(name))),
    )
  }

  #namesIn(part: JsonObject): ReadonlySet<string> {
    const names = this.#names.get(part) ?? new Set(namesIn(part))
    this.#names.set(part, names)
    return names
  }
}

/** The members that a part names, whatever it says of them. */
function namesIn(part: JsonObject): string[] {
  const { required, propertyNames } = part
  const keyed = ['properties', 'dependentRequired', 'dependentSchemas', 'dependencies'].flatMap((key) =>
    Object.entries(Object(part[key])).flatMap(([name, what]) => [name, ...asList(what)]),
  )
  return [...keyed, ...asList(required), ...asList(Object(propertyNames).enum)].map(String)
}

const ABOUT_ALL = [
  'minProperties',
  'maxProperties',
  'propertyNames',
  'patternProperties',
  'additionalProperties',
  'unevaluatedProperties',
]

/** Whether a part says something of members without naming them. */
function isAboutAll(part: JsonObject): boolean {
  return ABOUT_ALL.some((keyword) => Object.hasOwn(part, keyword))
}

/** The schemas that always hold in a branch. Its own branches may not hold. */
function directParts(part: unknown): unknown {
  if (!isJsonObject(part)) return part
  const {
    anyOf: _anyOf,
    oneOf: _oneOf,
    if: _if,
    then: _then,
    else: _else,
    dependentSchemas: _schemas,
    ...rest
  } = part
  return rest
}

/** Whether a schema names none of the values that the view allows. */
function excludes(property: unknown, { fixed, narrow }: ViewParameter): boolean {
  if (!isJsonObject(property)) return property === false && fixed !== undefined
  const wanted = 'const' in property ? [property.const] : property.enum
  const allowed = fixed && 'value' in fixed ? [fixed.value] : fixed ? undefined : narrow.enum
  if (!Array.isArray(wanted) || !Array.isArray(allowed)) return false
  const texts = wanted.map((one) => JSON.stringify(one))
  return !allowed.some((one) => texts.includes(JSON.stringify(one)))
}

function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** Joins two schemas: a value must meet the one of the target and the one of the view. */
function shapeProperty(property: unknown, parameter: ViewParameter): unknown {
  if (!isJsonObject(property)) return property
  const shown: JsonObject = { ...property }
  for (const [keyword, wanted] of Object.entries(parameter.narrow)) {
    shown[keyword] = narrower(keyword, property[keyword], wanted)
  }
  if (parameter.description !== undefined) shown.description = parameter.description
  if (parameter.default && 'value' in parameter.default) shown.default = parameter.default.value
  return shown
}

function narrower(keyword: string, own: unknown, wanted: unknown): unknown {
  if (typeof own === 'number' && typeof wanted === 'number') {
    return keyword.startsWith('max') || keyword === 'exclusiveMaximum'
      ? Math.min(own, wanted)
      : Math.max(own, wanted)
  }
  if (keyword === 'enum' && Array.isArray(own) && Array.isArray(wanted)) {
    const texts = new Set(wanted.map((one) => JSON.stringify(one)))
    return own.filter((value) => texts.has(JSON.stringify(value)))
  }
  return wanted
}
