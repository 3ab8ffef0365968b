import { DistinctNames } from '../../../model/index.ts'
import type { Referent } from '../document/document-set.ts'
import { pointerTokens } from '../document/pointer.ts'

/**
 * Gives every referent a short name: the last part of its reference, with a number when two would have the same name.
 */
export class DefinitionNames {
  readonly #names = new Map<string, string>()
  readonly #referents = new Map<string, Referent>()
  readonly #distinct = new DistinctNames('_')

  nameOf(referent: Referent): string {
    const known = this.#names.get(referent.key)
    if (known !== undefined) return known
    const name = this.#distinct.take(readableName(referent.key))
    this.#names.set(referent.key, name)
    this.#referents.set(name, referent)
    return name
  }

  referent(name: string): Referent | undefined {
    return this.#referents.get(name)
  }
}

/** Only characters that need no escaping inside `#/$defs/…`. */
function readableName(key: string): string {
  const hash = key.indexOf('#')
  const fragment = key.slice(hash + 1)
  const last = fragment.startsWith('/') ? pointerTokens(fragment).at(-1) : fragment
  const source =
    last ||
    key
      .slice(0, hash)
      .split('/')
      .at(-1)!
      .replace(/\.[^.]*$/, '')
  const name = source.replace(/[^A-Za-z0-9_.-]+/g, '_').slice(0, 80) || 'schema'
  // Some validators walk `#/$defs/constructor` into the prototype.
  return name in {} ? `${name}_schema` : name
}
