import { readSmallFile, isOwn } from '../model/index.ts'
import { type Loaded, type NotLoaded, parseConfig, type LoadOptions } from './load-config.ts'
import { writeFileAtomic } from './write-file-atomic.ts'
import { createHash } from 'node:crypto'
import { mkdir, realpath, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { stateHome, type UserPlaces } from './user-places.ts'

export type SaveResult =
  | { readonly ok: true; readonly loaded: Loaded; readonly backup: string | undefined }
  | { readonly ok: false; readonly reason: 'invalid'; readonly problems: NotLoaded['problems'] }
  /** The file was changed elsewhere since `expected` was read; this is what it says now. */
  | { readonly ok: false; readonly reason: 'conflict'; readonly text: string | undefined }

export interface SaveOptions extends LoadOptions {
  /** The text that was edited; undefined for a file that is to be new. */
  readonly expected: string | undefined
}

/** Writes an edited configuration if it is usable and unchanged meanwhile; keeps the old one as `.bak`. */
export async function saveConfig(file: string, text: string, options: SaveOptions): Promise<SaveResult> {
  const now = await readSmallFile(file).catch(() => undefined)
  if (now !== options.expected) return { ok: false, reason: 'conflict', text: now }
  const loaded = await parseConfig(text, { ...options, file })
  if (!loaded.ok) return { ok: false, reason: 'invalid', problems: loaded.problems }
  const backup = now === undefined ? undefined : `${file}.bak`
  await writeFileAtomic(file, text, { backup })
  if (options.places) await acceptText(file, text, options.places).catch(() => {})
  return { ok: true, loaded, backup }
}

/** Remembers an accepted configuration as an empty file named after its place and content. */
export async function acceptText(file: string, text: string, places: UserPlaces): Promise<void> {
  await mkdir(folderOf(places), { recursive: true, mode: 0o700 })
  await writeFile(await markOf(file, text, places), '', { mode: 0o600 })
}

export async function isAcceptedText(file: string, text: string, places: UserPlaces): Promise<boolean> {
  const mark = await stat(await markOf(file, text, places)).catch(() => undefined)
  return mark?.isFile() === true && isOwn(mark.uid)
}

function folderOf(places: UserPlaces): string {
  return join(stateHome(places), 'gantry', 'accepted')
}

/** Commands are looked for beside the file, so a link elsewhere to the same text is something else. */
async function markOf(file: string, text: string, places: UserPlaces): Promise<string> {
  const folder = await realpath(dirname(file)).catch(() => dirname(file))
  const path = join(folder, basename(file))
  return join(folderOf(places), createHash('sha256').update(`${path}\0${text}`).digest('hex'))
}
