import { createHash } from 'node:crypto'
import { mkdir, realpath, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isOwn } from '../model/index.ts'
import { stateHome, type UserPlaces } from './user-places.ts'

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

async function markOf(file: string, text: string, places: UserPlaces): Promise<string> {
  const path = await realpath(file).catch(() => file)
  return join(folderOf(places), createHash('sha256').update(`${path}\0${text}`).digest('hex'))
}
