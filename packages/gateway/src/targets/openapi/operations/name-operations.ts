import { createHash } from 'node:crypto'
import { own } from '../own.ts'
import type { Warnings } from '../warnings.ts'
import type { Operation } from './operation.ts'

/** The longest name that every client takes. Some clients refuse a whole list because of one longer name. */
const MOST_CHARACTERS = 64

/** `GET /users/{id}/posts` → `get_users_by_id_posts`. */
export function generateName(operation: Pick<Operation, 'method' | 'path'>): string {
  const words = operation.path.replace(/\{([^{}]*)\}/g, '/by/$1').split(/[^A-Za-z0-9]+/)
  const snake = words.map((word) => word.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase())
  return [operation.method, ...snake].filter(Boolean).join('_')
}

/** Letters, digits, `_` and `-`, at most 64; what is cut off is replaced by a hash, so that names stay apart. */
export function toToolName(wanted: string): string {
  const name = wanted.replace(/[^A-Za-z0-9_-]+/g, '_').replace(/^_+(?=.)|(?<=.)_+$/g, '')
  const usable = /[A-Za-z0-9]/.test(name) ? name : `operation_${hash(wanted)}`
  if (usable.length <= MOST_CHARACTERS) return usable
  return `${usable.slice(0, MOST_CHARACTERS - 9)}_${hash(wanted)}`
}

/** One stable name per operation. A taken name gets a hash of method and path. */
export function nameOperations(
  operations: readonly Operation[],
  rename: Readonly<Record<string, string>>,
  warnings: Warnings,
): Map<Operation, string> {
  const names = new Map<Operation, string>()
  const taken = new Set<string>()
  for (const operation of operations) {
    const wanted = lookup(rename, operation) ?? operation.operationId ?? generateName(operation)
    let name = toToolName(wanted)
    if (taken.has(name)) {
      const apart = toToolName(`${name.slice(0, MOST_CHARACTERS - 9)}_${hash(operation.key)}`)
      warnings.add(`the name ${JSON.stringify(name)} is taken; it is called "${apart}"`, operation.key)
      name = apart
    }
    taken.add(name)
    names.set(operation, name)
  }
  return names
}

/** A setting for one operation, by `operationId` or by `GET /path`. */
export function lookup(settings: Readonly<Record<string, string>>, operation: Operation): string | undefined {
  const byId = operation.operationId === undefined ? undefined : own(settings, operation.operationId)
  const value = byId ?? own(settings, operation.key)
  return typeof value === 'string' ? value : undefined
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8)
}
