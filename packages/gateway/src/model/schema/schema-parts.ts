type Json = Readonly<Record<string, unknown>>

/** Schemas can refer to themselves and to each other without end. */
const MOST_PARTS = 1_000
const LISTS = ['allOf', 'anyOf', 'oneOf'] as const
const BRANCHES = ['if', 'then', 'else'] as const
const REFERENCES = ['$ref', '$dynamicRef'] as const

/**
 * A JSON Schema and all that it says elsewhere of the same value: in `allOf`, `anyOf`, `oneOf`, `if`, by reference.
 * Undefined stands for a part that cannot be read.
 */
export function schemaParts(schema: unknown, root: Json): readonly (Json | undefined)[] {
  const parts = new Set<Json | undefined>()
  const waiting = [schema]
  while (waiting.length > 0 && parts.size < MOST_PARTS) {
    const part = waiting.pop()
    if (!isSchema(part)) parts.add(undefined)
    else if (!parts.has(part)) {
      parts.add(part)
      for (const key of LISTS) if (Array.isArray(part[key])) waiting.push(...part[key])
      for (const key of BRANCHES) if (part[key] !== undefined) waiting.push(part[key])
      if (isSchema(part.dependentSchemas)) waiting.push(...Object.values(part.dependentSchemas))
      for (const key of REFERENCES)
        if (typeof part[key] === 'string') waiting.push(referredSchema(part[key], root))
    }
  }
  if (waiting.length > 0) parts.add(undefined)
  return [...parts]
}

/** What a reference leads to within one document; undefined when it leads out of it. */
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

function named(name: string, root: Json): unknown {
  const definitions = [root.$defs, root.definitions].flatMap((all) =>
    isSchema(all) ? Object.values(all) : [],
  )
  return definitions.find((one) => isSchema(one) && [one.$anchor, one.$dynamicAnchor, one.$id].includes(name))
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
