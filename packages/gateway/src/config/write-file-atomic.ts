import { randomBytes } from 'node:crypto'
import { chmod, copyFile, mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

export interface WriteOptions {
  /** Where the previous content is kept; nothing is kept without it, or when there was no file. */
  readonly backup?: string | undefined
  /** Permissions for a new file; an existing file keeps its permissions. */
  readonly mode?: number | undefined
}

/** Replaces a file so that readers see the old or the new content, never a part. Follows symbolic links. */
export async function writeFileAtomic(
  file: string,
  content: string | Uint8Array,
  options: WriteOptions = {},
): Promise<void> {
  const target = await realpath(file).catch(() => file)
  const existing = await stat(target).catch(() => undefined)
  await mkdir(dirname(target), { recursive: true })
  if (existing && options.backup !== undefined) await backUp(target, options.backup)
  const temporary = `${target}.${randomBytes(4).toString('hex')}.tmp`
  try {
    const handle = await open(temporary, 'wx', options.mode ?? 0o600)
    try {
      await handle.writeFile(content)
      await handle.sync()
    } finally {
      await handle.close()
    }
    // The mode given to open is cut by the umask; an existing file's is to be kept exactly.
    if (existing) await chmod(temporary, existing.mode & 0o7777)
    await rename(temporary, target)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

async function backUp(file: string, backup: string): Promise<void> {
  await mkdir(dirname(backup), { recursive: true, mode: 0o700 })
  await copyFile(file, backup)
}
