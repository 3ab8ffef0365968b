import { isObject } from '../own.ts'

/** Members whose values are data: a `$ref` inside them is no reference. */
const DATA = new Set(['example', 'examples', 'default', 'enum', 'const'])
/** Members whose keys are names and not keywords, so that a property called `default` is still a schema. */
const NAMED = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'schemas', 'parameters'])
const MOST_DEPTH = 500

/** The documents (without fragments) that a document refers to, other than itself. */
export function externalReferences(root: unknown): Set<string> {
  const found = new Set<string>()
  visit(root, false, 0, found)
  return found
}

function visit(value: unknown, named: boolean, depth: number, found: Set<string>): void {
  if (depth > MOST_DEPTH) return
  if (Array.isArray(value)) {
    for (const item of value) visit(item, false, depth + 1, found)
  } else if (isObject(value)) {
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
