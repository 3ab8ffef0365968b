import { lstatSync, statSync } from 'node:fs'

/** Whether a file belongs to the user. Windows does not tell by a number, so every file counts there. */
export function isOwn(uid: number): boolean {
  return process.getuid === undefined || uid === process.getuid()
}

/** Throws when another user than root has put the file, or a link, in its place. */
export function refuseForeign(file: string): void {
  for (const facts of [lstatSync, statSync].map((look) => look(file, { throwIfNoEntry: false }))) {
    if (facts && facts.uid !== 0 && !isOwn(facts.uid)) throw new Error(`${file} belongs to another user`)
  }
}

/** Whether any user of this machine may change a file, or replace the files in a folder (not so in /tmp). */
export function isOpenToAll(file: string): boolean {
  const facts = statSync(file, { throwIfNoEntry: false })
  return process.platform !== 'win32' && facts !== undefined && (facts.mode & 0o1002) === 0o002
}
