import { Option, type Command } from 'commander'
import type { Era, Revision } from '../../admin/contract.ts'

const ERAS: readonly Era[] = ['legacy', 'modern']
const REVISIONS: readonly Revision[] = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']

export function addRequestOptions(command: Command): void {
  command
    .addOption(new Option('--era <era>', 'be a client of this era (default: modern)').choices(ERAS))
    .addOption(new Option('--revision <date>', 'be a client of this revision').choices(REVISIONS))
    .option('--timeout <seconds>', 'give up when nothing happens for this long')
}

export function collect(value: string, known: string[] = []): string[] {
  return [...known, value]
}

/** The words after `--`, which are not meant for us: a command and its arguments. */
export function afterDashes(command: Command): string[] {
  const { rawArgs } = (command.parent ?? command) as unknown as { rawArgs: readonly string[] }
  const at = rawArgs.indexOf('--')
  return at < 0 ? [] : rawArgs.slice(at + 1)
}
