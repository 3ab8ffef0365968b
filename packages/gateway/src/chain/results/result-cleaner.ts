import {
  isJsonObject,
  type JsonNumber,
  jsonReader,
  setMember,
  writeJson,
  type JsonObject,
} from '@gantry/mcp/exchange'
import { DistinctNames, type ResultRule } from '../../model/index.ts'
import { cleanBase64, cleanDataUris, mayHoldEncoded, SVG } from './encoded-text.ts'
import { fitMask, isMadeUp, isNumber, schemaAt, type LeafSchema } from './fit-mask.ts'
import { endOf, follow, pathsOf, type PathSteps } from './path-steps.ts'
import { Literals } from './literals.ts'
import { cleanSeams, hasSeams, READ_TOGETHER } from './seams.ts'
import { maskOf, type OnFound, replacementFor, TextCleaner } from './text-cleaner.ts'

/** What the protocol itself needs unchanged. Outside of data these are no texts of people. */
const OPAQUE: ReadonlySet<string> = new Set([
  'requestState',
  'taskId',
  'nextCursor',
  'progressToken',
  'elicitationId',
  'subscriptionId',
])
/** Below these, every name is the server's own. */
const DATA: ReadonlySet<string> = new Set(['structuredContent', 'arguments', 'requestedSchema'])
/** How the protocol writes its own names. All other names belong to the server. */
const PROTOCOL_NAME = /^_?[A-Za-z]{1,40}$/
/** What the protocol itself has in `_meta`, such as the id of the task that a message is about. */
const OF_PROTOCOL = /^io\.modelcontextprotocol\//
/** Shorter numbers do not identify a person. */
const SHORTEST_NUMBER = 4

const GONE: unique symbol = Symbol('gone')

/** Where a value stands. */
interface Place {
  /** The name of the field it is in. */
  readonly field: string
  /** Whether it belongs to the server, and not to the protocol. */
  readonly isData: boolean
  /** Whether it is a part of what a model reads, or of what a server says besides. */
  readonly isContent: boolean
  readonly steps: PathSteps
  readonly schema?: LeafSchema | undefined
}

const NO_STEPS: PathSteps = new Set()

/** Takes out of a value what some rules keep from callers: in texts, names, numbers, and at given places. */
export class ResultCleaner {
  readonly #texts: TextCleaner
  readonly #paths: PathSteps
  readonly #onFound: OnFound

  constructor(rules: readonly ResultRule[], onFound: OnFound) {
    this.#texts = new TextCleaner(rules)
    this.#paths = pathsOf(rules)
    this.#onFound = onFound
  }

  /** Whether nothing is to be taken out of a value, by its JSON as it came. False says nothing. */
  isCleanJson(json: string): boolean {
    return this.#paths.size === 0 && this.#texts.isCleanJson(json) && !mayHoldEncoded(json) && !hasSeams(json)
  }

  /** The same value when there is nothing to take out. Throws `RefusedResult`. */
  clean<T>(
    value: T,
    known: { readonly given?: string | undefined; readonly schema?: JsonObject | undefined } = {},
  ): T {
    return new Cleaning(this.#texts, this.#paths, this.#onFound, known.given, known.schema).all(value) as T
  }
}

/** One value on its way through the rules. */
class Cleaning {
  readonly #texts: TextCleaner
  readonly #paths: PathSteps
  readonly #onFound: OnFound
  /** What the caller named itself. */
  readonly #given: string | undefined
  readonly #schema: JsonObject | undefined
  /** What was found at paths: it is hidden in texts, too. */
  readonly #literals = new Literals()

  constructor(
    texts: TextCleaner,
    paths: PathSteps,
    onFound: OnFound,
    given: string | undefined,
    schema: JsonObject | undefined,
  ) {
    this.#texts = texts
    this.#paths = paths
    this.#onFound = onFound
    this.#given = given
    this.#schema = schema
  }

  all(value: unknown): unknown {
    if (this.#paths.size > 0) this.#collect(value)
    const cleaned = this.#value(value, { field: '', isData: false, isContent: false, steps: NO_STEPS })
    return cleaned === GONE ? {} : cleaned
  }

  #value(value: unknown, place: Place): unknown {
    const end = place.steps.size > 0 ? endOf(place.steps) : undefined
    if (end) {
      const shown = replacementFor(end.name, end.action, this.#onFound)
      return end.action === 'drop' ? GONE : fitMask(value, shown, place.schema)
    }
    if (typeof value === 'string') return this.#text(value, place)
    if (isNumber(value)) return this.#number(value, place)
    if (Array.isArray(value)) return this.#array(value, place)
    return isJsonObject(value) ? this.#object(value, place) : value
  }

  #text(text: string, place: Place): unknown {
    if (text === this.#given || isMadeUp(text)) return text
    const shown = this.#read(
      cleanDataUris(text, (inner) => this.#read(inner, '')),
      place.field,
    )
    return shown === text ? text : fitMask(text, shown, place.schema)
  }

  #read(text: string, field: string): string {
    return this.#texts.clean(this.#inJson(this.#literals.clean(text)), field, this.#onFound)
  }

  /** A number may be one of a card, also when it is written with an exponent. */
  #number(value: number | JsonNumber, place: Place): unknown {
    const source = String(value)
    for (const text of new Set([source, String(Number(source))])) {
      if (text.length < SHORTEST_NUMBER) continue
      const shown = this.#texts.clean(this.#literals.clean(text), place.field, this.#onFound)
      if (shown !== text) return fitMask(value, shown, place.schema)
    }
    return value
  }

  #array(values: readonly unknown[], place: Place): unknown {
    let changed: unknown[] | undefined
    values.forEach((value, at) => {
      const shown = this.#value(value, this.#inside(place, String(at), place.field))
      if (shown !== value) changed ??= values.slice(0, at)
      if (changed && shown !== GONE) changed.push(shown)
    })
    const shown = changed ?? values
    return !place.isData && READ_TOGETHER.has(place.field)
      ? cleanSeams(shown, (text) => this.#texts.clean(text, '', this.#onFound))
      : shown
  }

  #object(value: JsonObject, place: Place): unknown {
    const encoded = place.isData ? undefined : encodedMember(value)
    if (encoded) return this.#encoded(value, encoded, place)
    let changed: JsonObject | undefined
    // Names may have become the same.
    let names: DistinctNames | undefined
    const entries = Object.entries(value)
    entries.forEach(([key, inner], at) => {
      const name = place.isData || !PROTOCOL_NAME.test(key) ? this.#name(key) : key
      const shown = this.#isOpaque(key, value, place)
        ? inner
        : this.#value(inner, this.#inside(place, key, key))
      if (shown !== inner || name !== key) {
        changed ??= Object.fromEntries(entries.slice(0, at))
        names ??= new DistinctNames(' ', Object.keys(changed))
      }
      if (changed && shown !== GONE) setMember(changed, names!.take(name), shown)
    })
    return changed ?? value
  }

  #isOpaque(key: string, holder: JsonObject, { isData, isContent }: Place): boolean {
    if (isData || isContent || typeof holder[key] !== 'string') return false
    return OPAQUE.has(key) || (key === 'url' && holder.mode === 'url')
  }

  /** Names of fields are the server's as well: `{ "ann@example.com": … }`. */
  #name(key: string): string {
    return this.#texts.clean(this.#literals.clean(key), '', this.#onFound)
  }

  /** Bytes that are text are read as text. */
  #encoded(value: JsonObject, member: 'blob' | 'data', place: Place): unknown {
    const { [member]: data, ...rest } = value
    const shown = this.#object(rest, place) as JsonObject
    const clean = cleanBase64(data as string, (text) => this.#read(text, member))
    return shown === rest && clean === data ? value : { ...shown, [member]: clean }
  }

  #inside(place: Place, key: string, field: string): Place {
    const starts = !place.isData && key === 'structuredContent'
    return {
      field,
      isData: place.isData || DATA.has(key),
      isContent: !OF_PROTOCOL.test(key) && (place.isContent || key === '_meta' || READ_TOGETHER.has(key)),
      steps: starts ? this.#paths : follow(place.steps, key),
      schema: starts ? this.#schema : schemaAt(place.schema, key, this.#schema),
    }
  }

  /** Structured content is often repeated as a text: it has the same paths, and escapes may hide what is in it. */
  #inJson(text: string): string {
    if (this.#paths.size === 0 && !text.includes('\\')) return text
    const value = readStructured(text)
    if (value === undefined) return text
    const shown = this.#value(value, { field: '', isData: true, isContent: false, steps: this.#paths })
    if (shown === value) return text
    return shown === GONE ? '' : writeJson(shown, undefined, /^[[{]\r?\n/.test(text.trim()) ? 2 : undefined)
  }

  /** Remembers what stands at paths, wherever structured content is. */
  #collect(value: unknown): void {
    if (typeof value === 'string') this.#collectAt(readStructured(value), this.#paths)
    else if (Array.isArray(value)) for (const inner of value) this.#collect(inner)
    else if (isJsonObject(value)) {
      for (const [key, inner] of Object.entries(value)) {
        if (key === 'structuredContent') this.#collectAt(inner, this.#paths)
        else this.#collect(inner)
      }
    }
  }

  #collectAt(value: unknown, steps: PathSteps, name?: string): void {
    if (steps.size === 0 && name === undefined) return
    const end = endOf(steps)
    const found = end ? (end.action === 'mask' ? maskOf(end.name) : '') : name
    if (Array.isArray(value) || isJsonObject(value)) {
      for (const [key, inner] of Object.entries(value)) this.#collectAt(inner, follow(steps, key), found)
    } else if (found !== undefined && (typeof value === 'string' || isNumber(value))) {
      const text = String(value)
      this.#literals.add(text, found)
      // As it stands in JSON, which may stand in other words.
      this.#literals.add(JSON.stringify(text).slice(1, -1), found)
    }
  }
}

/** A text that is JSON of an object or a list. */
function readStructured(text: string): unknown {
  return /^\s*[[{]/.test(text) && /[\]}]\s*$/.test(text) ? quietly(text) : undefined
}

const readSource = jsonReader('source')

function quietly(text: string): unknown {
  try {
    return readSource(text)
  } catch {
    return undefined
  }
}

/** Where an object has bytes as base64. A server can call text an image. */
function encodedMember({ blob, data, mimeType, type }: JsonObject): 'blob' | 'data' | undefined {
  if (typeof blob === 'string') return 'blob'
  const isMedium = type === 'image' || type === 'audio' || SVG.test(String(mimeType))
  return typeof data === 'string' && isMedium ? 'data' : undefined
}
