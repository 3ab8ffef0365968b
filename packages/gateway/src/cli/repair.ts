import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { Repair, TrialReport } from '../admin/contract.ts'
import type { Cli } from './cli.ts'
import { CliError } from './cli-error.ts'
import { plainText } from './plain-text.ts'

/** Only what `npx` and `uv` make: the name of the folder comes from what a program wrote. */
const LAUNCHER_FOLDER = /[\\/](?:_npx[\\/][0-9a-f]{8,}|archive-v\d+[\\/][\w-]+)$/
/** uv waits for other processes that use its cache, for as long as they run. */
const COMMAND_LIMIT = 60_000

/** Repairs what a report says can be repaired, when the user agrees. True when the target is worth another look. */
export async function repairFor({ name, problem }: TrialReport, cli: Cli): Promise<boolean> {
  const repair = problem?.repair
  if (!repair) return false
  const question = `Repair ${plainText(name)}: ${plainText(wordsOf(repair))}? [y/N] `
  const isAgreed = cli.options.yes === true || (await cli.io.confirm?.(question)) === true
  if (!isAgreed) {
    cli.note(`${plainText(name)} is left as it is; --yes repairs it without a question`)
    return false
  }
  await doRepair(repair)
  return true
}

function wordsOf(repair: Repair): string {
  return 'command' in repair ? `run: ${repair.command.join(' ')}` : `remove ${foldersOf(repair).join(' ')}`
}

function foldersOf(repair: Exclude<Repair, { readonly command: unknown }>): readonly string[] {
  return 'folder' in repair ? [repair.folder] : repair.folders
}

async function doRepair(repair: Repair): Promise<void> {
  if ('command' in repair) {
    const [program, ...args] = repair.command
    await promisify(execFile)(program!, args, { timeout: COMMAND_LIMIT })
    return
  }
  const folders = foldersOf(repair)
  const stranger = folders.find((folder) => !LAUNCHER_FOLDER.test(folder))
  if (stranger !== undefined) throw new CliError(`${stranger} is not a folder of npx or uv`)
  for (const folder of folders) await rm(folder, { recursive: true, force: true })
}
