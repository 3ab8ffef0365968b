import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { createTwoFilesPatch } from 'diff'
import { action, type Cli } from '../cli.ts'
import { CliError } from '../cli-error.ts'
import type { CliIo, GlobalOptions } from '../cli-io.ts'
import { type ChangedFile, rewriteProject } from '../codemod/rewrite-project.ts'
import { removeControls } from '../../model/index.ts'
import { shorten } from '../format-problem.ts'
import { plainText } from '../plain-text.ts'
import { readVersion } from '../../model/read-version.ts'

interface CodemodOptions extends GlobalOptions {
  readonly write?: boolean
}

export function register(program: Command, io: CliIo): void {
  program
    .command('codemod')
    .argument('[path]', 'a file, or a folder with all that is in it (default: this folder)')
    .description(
      'Rewrites servers that are written with McpServer of the official TypeScript SDK 1.x for @gantry/mcp. Shows the changes; writes them with --write.',
    )
    .option('-w, --write', 'write the files')
    .addHelpText('after', '\nExamples:\n  gantry codemod src\n  gantry codemod src --write')
    .action(action(io, codemod))
}

async function codemod(path = '.', cli: Cli<CodemodOptions>): Promise<void> {
  const changed = rewriteProject(resolve(cli.io.places.cwd, path), readVersion())
  if (changed.length === 0)
    throw new CliError(
      `Nothing in ${plainText(path)} registers with an McpServer of @modelcontextprotocol/sdk`,
    )
  if (cli.options.write) await Promise.all(changed.map((file) => writeFile(file.path, file.after)))
  const files = changed.map((file) => ({ ...file, name: shorten(file.path, cli.io.places.cwd) }))
  if (cli.json) {
    cli.printJson({
      ok: true,
      written: cli.options.write === true,
      files: files.map(({ name, notes }) => ({ file: name, notes })),
    })
    return
  }
  for (const file of files) print(file, cli)
  const next = cli.options.write
    ? 'Now run npm install and your tests'
    : 'Nothing is written yet: add --write'
  cli.note(`${files.length} files. ${next}`)
}

function print(file: ChangedFile & { name: string }, cli: Cli<CodemodOptions>): void {
  const { paint } = cli
  if (cli.options.write) cli.say(`${paint.green('✓')} ${plainText(file.name)}`)
  else if (file.after !== file.before)
    cli.io.stdout.write(removeControls(createTwoFilesPatch(file.name, file.name, file.before, file.after)))
  for (const { line, message } of file.notes)
    cli.note(`${cli.notePaint.yellow('look')}  ${plainText(`${file.name}:${line}  ${message}`)}`)
}
