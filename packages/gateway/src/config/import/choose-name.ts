import { isSame } from '../../model/index.ts'
import type { RawTarget } from '../raw-config.ts'
import type { ClientId } from './clients.ts'

/** What an imported server is called, and why when it is not what it was called before. */
export type Choice =
  | { readonly type: 'new'; readonly name: string; readonly reason: string | undefined }
  | { readonly type: 'same'; readonly name: string; readonly reason: string }

/** Finds a name that is free, unless the very same server is already there. */
export function chooseName(
  wanted: string,
  target: RawTarget,
  { taken, client }: { taken: ReadonlyMap<string, RawTarget>; client: ClientId },
): Choice {
  const plain = toTargetName(wanted)
  const twin = [...taken].find(([, other]) => isSame(other, target))
  if (twin) {
    const reason = twin[0] === plain ? 'it is there already' : `it is the same server as "${twin[0]}"`
    return { type: 'same', name: twin[0], reason }
  }
  const rival = taken.get(plain)
  if (!rival) {
    const reason = plain === wanted ? undefined : 'a name has at most 64 characters and no "/"'
    return { type: 'new', name: plain, reason }
  }
  const name = firstFree(`${plain.slice(0, 40)}-${client}`, taken)
  return { type: 'new', name, reason: `"${plain}" is another server: ${differences(rival, target)}` }
}

function toTargetName(name: string): string {
  return name.replaceAll(/[/\u0000-\u001f]+/g, '-').slice(0, 64) || 'server'
}

function firstFree(base: string, taken: ReadonlyMap<string, RawTarget>): string {
  let name = base
  for (let number = 2; taken.has(name); number++) name = `${base}-${number}`
  return name
}

/** Keys only: their values may be secrets. */
function differences(a: RawTarget, b: RawTarget): string {
  const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])] as (keyof RawTarget)[]
  const different = keys.filter((key) => !isSame(a[key], b[key])).map((key) => `"${key}"`)
  return `${different.join(', ')} ${different.length === 1 ? 'is' : 'are'} not the same`
}
