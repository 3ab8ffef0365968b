import { parseUrl } from '@gantry/mcp/foreign'
import { McpError } from '@gantry/mcp/client'
import { isJsonObject } from '@gantry/mcp/exchange'
import { own } from '../own.ts'
import type { Warnings } from '../warnings.ts'
import { displayUri, type DocumentSource } from './document-source.ts'
import { parseDocument } from './parse-document.ts'
import { followPointer } from './pointer.ts'

/** A value together with the document it stands in, which relative references need. */
export interface Located {
  readonly value: unknown
  readonly base: string
}

/** The target of a reference; `key` is the same for every spelling of the reference. */
export interface Referent extends Located {
  readonly key: string
}

const MEMORY = 'memory:description'
const MOST_DOCUMENTS = 2_000
const AT_ONCE = 16
const MOST_HOPS = 32

/** The description and every document that it refers to, read once, so that resolving is a look-up. */
export class DocumentSet {
  readonly root: Located
  readonly #documents: Map<string, unknown>
  readonly #anchors = new Map<string, Map<string, unknown>>()
  readonly #referents = new Map<string, Map<string, Referent | undefined>>()
  readonly #warnings: Warnings

  private constructor(uri: string, documents: Map<string, unknown>, warnings: Warnings) {
    this.root = { value: documents.get(uri), base: uri }
    this.#documents = documents
    this.#warnings = warnings
  }

  /** For a description that is already an object: it has no place, so it can refer only to itself. */
  static of(value: unknown, warnings: Warnings): DocumentSet {
    return new DocumentSet(MEMORY, new Map([[MEMORY, value]]), warnings)
  }

  static async load(source: DocumentSource, warnings: Warnings): Promise<DocumentSet> {
    const documents = new Map<string, unknown>()
    let waiting = await loadOne(source.uri, source, documents, warnings)
    while (waiting.length > 0) {
      const batch = waiting.splice(0, AT_ONCE)
      const found = await Promise.all(batch.map((uri) => loadReferred(uri, source, documents, warnings)))
      waiting = [...new Set([...waiting, ...found.flat()])].filter((uri) => !documents.has(uri))
    }
    return new DocumentSet(source.uri, documents, warnings)
  }

  /** Follows one reference. When it leads nowhere, adds a warning and returns undefined. */
  resolve(reference: string, base: string): Referent | undefined {
    const known = this.#referents.get(base) ?? new Map<string, Referent | undefined>()
    if (known.has(reference)) return known.get(reference)
    const referent = this.#resolve(reference, base)
    this.#referents.set(base, known.set(reference, referent))
    return referent
  }

  #resolve(reference: string, base: string): Referent | undefined {
    const hash = reference.indexOf('#')
    const fragment = hash < 0 ? '' : reference.slice(hash + 1)
    const uri = hash === 0 ? base : absolute(hash < 0 ? reference : reference.slice(0, hash), base)
    const document = uri === undefined ? undefined : this.#documents.get(uri)
    const value = document === undefined ? undefined : this.#find(uri!, document, fragment)
    if (value === undefined) {
      this.#warnings.add(`"$ref": ${JSON.stringify(reference)} leads nowhere`)
      return undefined
    }
    return { value, base: uri!, key: `${uri}#${fragment}` }
  }

  /** Follows references until there is something else; undefined when they lead nowhere or in a circle. */
  follow(located: Located): Located | undefined {
    let at = located
    for (let hops = 0; hops < MOST_HOPS; hops++) {
      const reference = own(at.value, '$ref')
      if (typeof reference !== 'string') return at
      const next = this.resolve(reference, at.base)
      if (next === undefined) return undefined
      at = next
    }
    this.#warnings.add(`"$ref": ${JSON.stringify(own(located.value, '$ref'))} leads in a circle`)
    return undefined
  }

  #find(uri: string, document: unknown, fragment: string): unknown {
    if (fragment === '') return document
    if (fragment.startsWith('/')) return followPointer(document, fragment)
    let anchors = this.#anchors.get(uri)
    if (anchors === undefined) {
      anchors = new Map()
      collectAnchors(document, anchors, 0)
      this.#anchors.set(uri, anchors)
    }
    return anchors.get(fragment)
  }
}

async function loadReferred(
  uri: string,
  source: DocumentSource,
  documents: Map<string, unknown>,
  warnings: Warnings,
): Promise<string[]> {
  if (documents.size >= MOST_DOCUMENTS) {
    warnings.add(`the description has more than ${MOST_DOCUMENTS} documents; the rest was not read`)
    return []
  }
  // Set before the read, so that nothing is read twice; a failed read stays undefined.
  documents.set(uri, undefined)
  try {
    return await loadOne(uri, source, documents, warnings)
  } catch (error) {
    if (!(error instanceof McpError)) throw error
    warnings.add(error.message)
    return []
  }
}

/** Returns the documents that the loaded one refers to. */
async function loadOne(
  uri: string,
  source: DocumentSource,
  documents: Map<string, unknown>,
  warnings: Warnings,
): Promise<string[]> {
  const text = await source.read(uri)
  const value = parse(text, uri)
  documents.set(uri, value)
  // Most descriptions are a single document. A look at the text avoids a walk through the whole value.
  return /\$ref["']?\s*:\s*["']?[^#"'\s]/.test(text) ? outside(value, uri, warnings) : []
}

function parse(text: string, uri: string): unknown {
  try {
    return parseDocument(text)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new McpError('invalid_config', `${displayUri(uri)} is neither JSON nor YAML: ${reason}`, {
      cause: error,
    })
  }
}

function outside(value: unknown, base: string, warnings: Warnings): string[] {
  const found: string[] = []
  for (const reference of externalReferences(value)) {
    const uri = absolute(reference, base)
    if (uri === undefined) warnings.add(`"$ref": ${JSON.stringify(reference)} is not a valid reference`)
    else if (uri !== base) found.push(uri)
  }
  return found
}

function absolute(reference: string, base: string): string | undefined {
  return parseUrl(reference, base)?.href
}

function collectAnchors(value: unknown, anchors: Map<string, unknown>, depth: number): void {
  if (depth > 200) return
  if (Array.isArray(value)) {
    for (const item of value) collectAnchors(item, anchors, depth + 1)
  } else if (isJsonObject(value)) {
    for (const keyword of ['$anchor', '$dynamicAnchor']) {
      const anchor = own(value, keyword)
      if (typeof anchor === 'string' && !anchors.has(anchor)) anchors.set(anchor, value)
    }
    for (const member of Object.values(value)) collectAnchors(member, anchors, depth + 1)
  }
}

/** Members whose values are data: a `$ref` inside them is no reference. */
const DATA = new Set(['example', 'examples', 'default', 'enum', 'const'])
/** Members whose keys are names and not keywords, so that a property called `default` is still a schema. */
const NAMED = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'schemas', 'parameters'])
const MOST_DEPTH = 500

/** The documents (without fragments) that a document refers to, other than itself. */
function externalReferences(root: unknown): Set<string> {
  const found = new Set<string>()
  visit(root, false, 0, found)
  return found
}

function visit(value: unknown, named: boolean, depth: number, found: Set<string>): void {
  if (depth > MOST_DEPTH) return
  if (Array.isArray(value)) {
    for (const item of value) visit(item, false, depth + 1, found)
  } else if (isJsonObject(value)) {
    for (const [key, member] of Object.entries(value)) {
      if (key === '$ref' && typeof member === 'string') note(member, found)
      else if (named || !DATA.has(key)) visit(member, !named && NAMED.has(key), depth + 1, found)
    }
  }
}

function note(reference: string, found: Set<string>): void {
  const document = reference.split('#', 1)[0]
  if (document) found.add(document)
}
