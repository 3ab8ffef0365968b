import type { Command } from 'commander'

/** Flags of every command that sends a request. */
export function addRequestOptions(command: Command): void {
  command
    .option('--era <era>', 'be a "legacy" or a "modern" client (default: modern)')
    .option('--revision <date>', 'be a client of this revision, such as 2025-06-18')
    .option('--timeout <seconds>', 'give up when nothing happens for this long')
}

/** For flags that may be repeated. */
export function collect(value: string, known: string[]): string[] {
  return [...known, value]
}

/** The words after `--`, which are not meant for us: a command and its arguments. */
export function afterDashes(command: Command): string[] {
  const { rawArgs } = (command.parent ?? command) as unknown as { rawArgs: readonly string[] }
  const at = rawArgs.indexOf('--')
  return at < 0 ? [] : rawArgs.slice(at + 1)
}
