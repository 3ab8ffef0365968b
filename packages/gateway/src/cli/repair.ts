import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { Repair, TrialReport } from '../admin/contract.ts'
import { CliError } from './cli-error.ts'
import { printLine, type CliIo, type GlobalOptions } from './cli-io.ts'
import { plainText } from './plain-text.ts'

/** Only what `npx` makes: the name of the folder comes from what a program wrote. */
const NPX_FOLDER = /[\\/]_npx[\\/][0-9a-f]{8,}$/

/** Repairs what a report says can be repaired, when the user agrees. True when the target is worth another look. */
export async function repairFor(
  { name, problem }: TrialReport,
  options: GlobalOptions,
  io: CliIo,
): Promise<boolean> {
  const repair = problem?.repair
  if (!repair) return false
  const words = 'folder' in repair ? `remove ${repair.folder}` : `run: ${repair.command.join(' ')}`
  const question = `Repair ${plainText(name)}: ${plainText(words)}? [y/N] `
  const isAgreed = options.yes === true || (await io.confirm?.(question)) === true
  if (!isAgreed) {
    printLine(io.stderr, `${plainText(name)} is left as it is; --yes repairs it without a question`)
    return false
  }
  await doRepair(repair)
  return true
}

async function doRepair(repair: Repair): Promise<void> {
  if ('folder' in repair) {
    if (!NPX_FOLDER.test(repair.folder)) throw new CliError(`${repair.folder} is not a folder of npx`)
    await rm(repair.folder, { recursive: true, force: true })
    return
  }
  const [program, ...args] = repair.command
  await promisify(execFile)(program!, args)
}
