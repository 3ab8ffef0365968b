import type { ObjectKind } from '../model/index.ts'

/** Callers choose URIs, so there is no end to them. */
const MOST_OBJECTS = 10_000
/** Longer names are not remembered. */
const LONGEST_NAME = 1000

/** Which object of which target. */
export interface ObjectKey {
  readonly kind: ObjectKind
  readonly name: string
  readonly isTemplate?: boolean | undefined
}

/**
 * Findings about objects. Every call looks here several times, so no key text is built for a lookup: nested maps find a
 * name by the hash that the string has already.
 */
export class ObjectMemory<T> {
  readonly #targets = new Map<string, Map<string, Map<string, T>>>()
  #size = 0

  /** What is known of an object; worked out, and kept, when nothing is. */
  of(target: string, { kind, name, isTemplate }: ObjectKey, workOut: () => T): T {
    const place = isTemplate ? 'templates' : kind
    const known = this.#targets.get(target)?.get(place)?.get(name)
    if (known !== undefined) return known
    const found = workOut()
    if (target.length + name.length < LONGEST_NAME) this.#keep(target, place, name, found)
    return found
  }

  #keep(target: string, place: string, name: string, found: T): void {
    if (this.#size >= MOST_OBJECTS) {
      this.#targets.clear()
      this.#size = 0
    }
    const kinds = inner(this.#targets, target)
    inner(kinds, place).set(name, found)
    this.#size++
  }
}

function inner<V>(maps: Map<string, Map<string, V>>, key: string): Map<string, V> {
  let map = maps.get(key)
  if (!map) {
    map = new Map()
    maps.set(key, map)
  }
  return map
}
