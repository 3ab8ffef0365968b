import { nameForms } from '../model/index.ts'
import { withoutStack } from './work.ts'

/** Servers could read another argument than an expression does: Go ignores case in JSON. */
export const ALIKE: Error = withoutStack(
  'another argument has nearly the same name, and servers could read that one',
)

/** Names by what the most generous server takes them for. */
export function namesByForm(names: Iterable<string>): ReadonlyMap<string, readonly string[]> {
  const named = new Map<string, string[]>()
  for (const name of names) {
    const { loose } = nameForms(name)
    const others = named.get(loose)
    if (others) others.push(name)
    else named.set(loose, [name])
  }
  return named
}

/** The members of an object within arguments. Throws for a name that another member has nearly. */
export class CheckedMembers extends Map<string, unknown> {
  #named: ReadonlyMap<string, readonly string[]> | undefined

  override get(name: string): unknown {
    this.#check(name)
    return super.get(name)
  }

  override has(name: string): boolean {
    this.#check(name)
    return super.has(name)
  }

  #check(name: unknown): void {
    if (typeof name !== 'string') return
    this.#named ??= namesByForm(this.keys())
    if (this.#named.get(nameForms(name).loose)?.some((other) => other !== name)) throw ALIKE
  }
}

// The library tells the types of values by their constructors.
Object.defineProperty(CheckedMembers.prototype, 'constructor', { value: Map })
