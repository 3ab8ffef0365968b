import { ROUTES, type RouteName } from '../contract.ts'

interface Entry {
  readonly name: RouteName
  readonly method: string
  readonly segments: readonly string[]
}

export type Match =
  | { readonly type: 'found'; readonly name: RouteName; readonly params: Record<string, string> }
  | { readonly type: 'wrong-method'; readonly allowed: readonly string[] }
  | { readonly type: 'none' }

// Fixed segments win over parameters: `/api/wire/export` is not the exchange "export".
const ENTRIES: readonly Entry[] = Object.entries(ROUTES)
  .map(([name, { method, path }]) => ({
    name: name as RouteName,
    method,
    segments: path.split('/').slice(1),
  }))
  .sort((a, b) => parameters(a) - parameters(b))

export function matchRoute(method: string, path: string): Match {
  const segments = path.split('/').slice(1)
  const fitting = ENTRIES.flatMap((entry) => {
    const params = fit(entry.segments, segments)
    return params ? [{ entry, params }] : []
  })
  const found = fitting.find(({ entry }) => entry.method === method)
  if (found) return { type: 'found', name: found.entry.name, params: found.params }
  if (fitting.length === 0) return { type: 'none' }
  return { type: 'wrong-method', allowed: [...new Set(fitting.map(({ entry }) => entry.method))] }
}

function fit(pattern: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, wanted] of pattern.entries()) {
    const given = segments[index]!
    const parameter = /^\{(\w+)\}$/.exec(wanted)?.[1]
    if (parameter === undefined) {
      if (wanted !== given) return undefined
    } else {
      const decoded = decode(given)
      if (decoded === undefined || decoded === '') return undefined
      params[parameter] = decoded
    }
  }
  return params
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

function parameters({ segments }: Entry): number {
  return segments.filter((segment) => segment.startsWith('{')).length
}
