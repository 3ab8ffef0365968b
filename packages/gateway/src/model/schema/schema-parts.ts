type Json = Readonly<Record<string, unknown>>

/** Schemas can refer to themselves and to each other without end. */
const MOST_PARTS = 1_000
const LISTS = ['allOf', 'anyOf', 'oneOf'] as const
const BRANCHES = ['if', 'then', 'else'] as const
const REFERENCES = ['$ref', '$dynamicRef'] as const

/**
 * A JSON Schema and all its parts about the same value: in `allOf`, `anyOf`, `oneOf`, `if`, by reference, and in `not`
 * if asked for. Undefined stands for a part that cannot be read. Targets write schemas, so at most `most` parts are
 * read.
 */
export function schemaParts(
  schema: unknown,
  root: Json,
  { most = MOST_PARTS, denied = false }: { most?: number; denied?: boolean } = {},
): readonly (Json | undefined)[] {
  const parts = new Set<Json | undefined>()
  const waiting = [schema]
  while (waiting.length > 0 && parts.size < most) {
    const part = waiting.pop()
    if (!isSchema(part)) parts.add(undefined)
    else if (!parts.has(part)) {
      parts.add(part)
      for (const one of partsIn(part, root)) waiting.push(one)
      if (denied && part.not !== undefined) waiting.push(part.not)
    }
  }
  if (waiting.length > 0) parts.add(undefined)
  return [...parts]
}

function* partsIn(part: Json, root: Json): Iterable<unknown> {
  for (const key of LISTS) if (Array.isArray(part[key])) yield* part[key]
  for (const key of BRANCHES) if (part[key] !== undefined) yield part[key]
  if (isSchema(part.dependentSchemas)) yield* Object.values(part.dependentSchemas)
  for (const key of REFERENCES) if (typeof part[key] === 'string') yield referredSchema(part[key], root)
}

/** The target of a reference within one document; undefined when it leads out of the document. */
export function referredSchema(reference: string, root: Json): unknown {
  if (reference === '#') return root
  if (!reference.startsWith('#/')) return named(reference.replace(/^#/, ''), root)
  let found: unknown = root
  for (const step of reference.slice(2).split('/')) {
    const key = unescaped(step)
    found =
      typeof found === 'object' && found !== null && Object.hasOwn(found, key)
        ? (found as Json)[key]
        : undefined
  }
  return found
}

const namedIn = new WeakMap<Json, ReadonlyMap<unknown, Json>>()

/** Definitions by the names that they give themselves. The first one with a name has it. */
function named(name: string, root: Json): unknown {
  let byName = namedIn.get(root)
  if (!byName) {
    const definitions = [root.$defs, root.definitions].flatMap((all) =>
      Object.values(isSchema(all) ? all : {}),
    )
    const names = definitions
      .filter(isSchema)
      .flatMap((one) => [one.$anchor, one.$dynamicAnchor, one.$id].map((own) => [own, one] as const))
    byName = new Map(names.toReversed())
    namedIn.set(root, byName)
  }
  return byName.get(name)
}

function unescaped(step: string): string {
  let text = step
  try {
    text = decodeURIComponent(step)
  } catch {
    // A percent sign that escapes nothing stands for itself.
  }
  return text.replaceAll('~1', '/').replaceAll('~0', '~')
}

export function isSchema(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
