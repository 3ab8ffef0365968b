import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs'
import { open } from 'node:fs/promises'

/** More than any configuration or state file of the gateway has. */
const MOST_FILE_BYTES = 16 * 1024 * 1024
/** Paths of pipes that a shell passes: `--config <(make-config)`. */
const PASSED = /^\/(?:dev\/(?:fd\/\d+|stdin)|proc\/self\/fd\/\d+)$/
/** Opening a pipe without a writer would wait for ever. Windows knows no such flag. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

export interface SmallFileOptions {
  /** Bytes at most. */
  readonly most?: number
  /** Looks at what was opened, and throws when it must not be read. */
  check?(facts: Stats): void
}

/** The text of a file of bounded size. Anything else under the name (a pipe, a device, a folder) is an error. */
export async function readSmallFile(file: string, options: SmallFileOptions = {}): Promise<string> {
  const handle = await open(file, PASSED.test(file) ? 'r' : FLAGS)
  try {
    const facts = await handle.stat()
    check(file, facts, options)
    return await handle.readFile('utf8')
  } finally {
    await handle.close()
  }
}

export function readSmallFileSync(file: string, options: SmallFileOptions = {}): string {
  const descriptor = openSync(file, PASSED.test(file) ? 'r' : FLAGS)
  try {
    check(file, fstatSync(descriptor), options)
    return readFileSync(descriptor, 'utf8')
  } finally {
    closeSync(descriptor)
  }
}

function check(file: string, facts: Stats, { most = MOST_FILE_BYTES, check }: SmallFileOptions): void {
  if (facts.isDirectory()) throw Object.assign(new Error('it is a folder'), { code: 'EISDIR' })
  if (!facts.isFile() && !PASSED.test(file)) throw new Error('it is not a regular file')
  if (facts.size > most) throw new Error(`it is larger than ${Math.floor(most / 1024)} KB`)
  check?.(facts)
}
