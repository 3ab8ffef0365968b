import { accessSync, constants } from 'node:fs'
import { createRequire } from 'node:module'
import { extname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { CliError } from '../cli-error.ts'

export interface RunCommand {
  readonly command: string
  readonly args: readonly string[]
}

export interface RunOptions {
  /** Runs the file instead of what its ending suggests, such as `uv run`. */
  readonly with?: string | undefined
  readonly args: readonly string[]
  /** Such as `22.18.0`; this process's own when left out. */
  readonly nodeVersion?: string | undefined
}

const PROGRAMS: Readonly<Record<string, string>> = { '.py': 'python3', '.rb': 'ruby', '.php': 'php' }

export function runCommand(file: string, options: RunOptions): RunCommand {
  const [program, ...flags] = options.with?.trim().split(/\s+/) ?? []
  if (program) return { command: program, args: [...flags, file, ...options.args] }
  const extension = extname(file).toLowerCase()
  if (/^\.[cm]?js$/.test(extension)) return node(file, [], options.args)
  if (/^\.[cm]?tsx?$/.test(extension)) return node(file, typeScriptFlags(file, options), options.args)
  const known = PROGRAMS[extension]
  if (known) return { command: known, args: [file, ...options.args] }
  if (isExecutable(file)) return { command: file, args: options.args }
  throw new CliError(`It is not known how to run ${file}`, {
    exitCode: 2,
    fix: 'Say what runs it, for example: --with "uv run"',
  })
}

/** With what serves a server that the file only exports. */
function node(file: string, flags: readonly string[], args: readonly string[]): RunCommand {
  const preload = new URL('../../dev/serve-export.js', import.meta.url).href
  return { command: process.execPath, args: [...flags, '--import', preload, file, ...args] }
}

/** tsx where the project has it, since it knows all of TypeScript; else what Node itself can do. */
function typeScriptFlags(file: string, { nodeVersion = process.versions.node }: RunOptions): string[] {
  const tsx = resolveFrom(file, 'tsx')
  if (tsx !== undefined) return ['--import', pathToFileURL(tsx).href]
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number)
  if (major > 23 || (major === 23 && minor >= 6) || (major === 22 && minor >= 18)) return []
  if (major === 23 || (major === 22 && minor >= 6)) return ['--experimental-strip-types']
  throw new CliError(`Node ${nodeVersion} cannot run TypeScript by itself`, {
    exitCode: 2,
    fix: 'Install tsx in the project (npm install --save-dev tsx), use Node 22.18 or newer, or run what your compiler writes.',
  })
}

function resolveFrom(file: string, name: string): string | undefined {
  try {
    return createRequire(file).resolve(name)
  } catch {
    return undefined
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return process.platform !== 'win32' || /\.(exe|cmd|bat)$/i.test(file)
  } catch {
    return false
  }
}
