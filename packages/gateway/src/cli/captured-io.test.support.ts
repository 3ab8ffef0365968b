import type { UserPlaces } from '../config/index.ts'
import type { CliIo } from './cli-io.ts'
import { runCli } from './run-cli.ts'

export interface CliRun {
  readonly code: number
  readonly out: string
  readonly err: string
  /** `out` as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was printed.
  json(): any
}

/** Runs a command line in another place, and keeps what it prints. For tests. */
export async function run(
  places: UserPlaces,
  argv: readonly string[],
  { isTTY = false, confirm }: { isTTY?: boolean; confirm?: CliIo['confirm'] } = {},
): Promise<CliRun> {
  const out: string[] = []
  const err: string[] = []
  const io: CliIo = {
    places,
    stdout: { isTTY, columns: 100, write: (text) => out.push(text) },
    stderr: { isTTY, columns: 100, write: (text) => err.push(text) },
    ...(confirm && { confirm }),
  }
  const code = await runCli(argv, io)
  return { code, out: out.join(''), err: err.join(''), json: () => JSON.parse(out.join('')) }
}
