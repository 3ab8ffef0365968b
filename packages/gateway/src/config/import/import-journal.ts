import { createHash, randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { parseSource } from '../document/parse-source.ts'
import { formatOf } from '../document/source-document.ts'
import { stateHome, type UserPlaces } from '../user-places.ts'
import { acceptText, isAcceptedText } from '../save-config.ts'
import { writeFileAtomic } from '../write-file-atomic.ts'
import type { FileChange } from './import-plan.ts'
import { type ListChange, writeLists } from './point-client.ts'

interface Journal {
  readonly version: 1
  readonly files: readonly JournalFile[]
}

interface JournalFile {
  readonly file: string
  readonly role: 'config' | 'client'
  /** Name of the copy beside the journal; undefined when the file did not exist. */
  readonly backup: string | undefined
  readonly sha256Before: string | undefined
  readonly sha256After: string
  readonly lists: readonly ListChange[]
}

export interface Undone {
  readonly file: string
  /** `merged`: it was changed since, so only the servers were put back. `kept`: it was changed since. */
  readonly outcome: 'restored' | 'removed' | 'merged' | 'kept' | 'unchanged'
}

/** Writes the files of a plan after saving copies of them. Returns the folder of the copies. */
export async function applyChanges(changes: readonly FileChange[], places: UserPlaces): Promise<string> {
  for (const { file, before } of changes) {
    const now = await readFile(file, 'utf8').catch(() => undefined)
    if (now !== before) throw new Error(`${file} was changed in the meantime; run the import again`)
  }
  const stamp = new Date().toISOString().replaceAll(/[:.]/g, '-')
  const folder = join(journalHome(places), `${stamp}-${randomBytes(2).toString('hex')}`)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const files = await Promise.all(changes.map((change, index) => prepare(change, index, folder)))
  const journal: Journal = { version: 1, files }
  await writeFileAtomic(join(folder, 'journal.json'), JSON.stringify(journal, undefined, 2))
  for (const { file, before, after, role } of changes) {
    await writeFileAtomic(file, after)
    // The user has seen the servers that were added; the others as far as they were accepted before.
    const isKnown =
      role === 'config' && (before === undefined || (await isAcceptedText(file, before, places)))
    if (isKnown) await acceptText(file, after, places).catch(() => {})
  }
  return folder
}

/** Undoes the latest import that is not undone yet; undefined when there is no such import. */
export async function undoLatest(places: UserPlaces): Promise<Undone[] | undefined> {
  const home = journalHome(places)
  const folders = (await readdir(home).catch(() => [])).filter((name) => !name.endsWith('.undone')).sort()
  const latest = folders.at(-1)
  if (latest === undefined) return undefined
  const folder = join(home, latest)
  const journal = JSON.parse(await readFile(join(folder, 'journal.json'), 'utf8')) as Journal
  const results: Undone[] = []
  for (const entry of journal.files)
    results.push({ file: entry.file, outcome: await undoFile(entry, folder) })
  await rename(folder, `${folder}.undone`)
  return results
}

async function prepare(change: FileChange, index: number, folder: string): Promise<JournalFile> {
  const { file, role, after, lists } = change
  const bytes = change.before === undefined ? undefined : await readFile(file)
  const backup = bytes && `${index + 1}-${basename(file)}`
  if (bytes && backup) await writeFile(join(folder, backup), bytes, { mode: 0o600 })
  return { file, role, backup, sha256Before: bytes && digest(bytes), sha256After: digest(after), lists }
}

async function undoFile(entry: JournalFile, folder: string): Promise<Undone['outcome']> {
  const now = await readFile(entry.file).catch(() => undefined)
  const state = now && digest(now)
  if (state === entry.sha256Before) return 'unchanged'
  if (entry.backup === undefined) {
    if (state !== entry.sha256After) return 'kept'
    await rm(entry.file)
    return 'removed'
  }
  const before = await readFile(join(folder, entry.backup))
  if (now === undefined || state === entry.sha256After) {
    await writeFileAtomic(entry.file, before)
    return 'restored'
  }
  if (entry.role === 'config') return 'kept'
  await writeFileAtomic(entry.file, await mergeBack(now.toString('utf8'), entry))
  return 'merged'
}

/** Clients write their files all the time: what they changed since stays, and the servers come back. */
async function mergeBack(text: string, entry: JournalFile): Promise<string> {
  const value = (await parseSource(text, formatOf(entry.file, text))).value
  const lists = entry.lists.map((list): ListChange => {
    const now = (list.path.reduce<unknown>(
      (at, step) => (at as Record<string, unknown> | undefined)?.[step],
      value,
    ) ?? {}) as Record<string, unknown>
    const added = Object.keys(list.after).filter((name) => !Object.hasOwn(list.before, name))
    const later = Object.entries(now).filter(([name]) => !added.includes(name))
    return { ...list, before: { ...list.before, ...Object.fromEntries(later) } }
  })
  return writeLists(text, entry.file, lists, 'before')
}

function journalHome(places: UserPlaces): string {
  return join(stateHome(places), 'gantry', 'imports')
}

function digest(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}
