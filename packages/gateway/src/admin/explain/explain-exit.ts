import type { McpError } from '@gantry/mcp/client'
import { brokenInstall } from '../../targets/launchers/broken-install.ts'
import type { Explanation } from '../contract.ts'
import { noiseExplanation, type FailureContext } from './failure-context.ts'

interface Sign {
  readonly code: string
  readonly pattern: RegExp
  readonly meaning: (match: RegExpExecArray) => string
  readonly fix: (match: RegExpExecArray) => string
}

/** Lines that servers write before they give up, the most telling first. */
const SIGNS: readonly Sign[] = [
  {
    code: 'module_not_found',
    pattern: /Cannot find (?:module|package) '([^']+)'|No module named '?([\w.]+)'?|ERR_MODULE_NOT_FOUND/,
    meaning: (match) => `It lacks a file or package: ${match[1] ?? match[2] ?? 'see below'}.`,
    fix: () => 'Check the path in "args", and that its dependencies are installed.',
  },
  {
    code: 'package_not_found',
    pattern:
      /404 Not Found - GET \S*\/([^\s/]+)|npm (?:ERR!|error) (?:code )?E404|No solution found when resolving/,
    meaning: () => 'The package registry does not have this package.',
    fix: () => 'Check the spelling of the package in "args".',
  },
  {
    code: 'env_missing',
    pattern:
      /\b([A-Z][A-Z0-9]*_[A-Z0-9_]+)\b[^\n]{0,60}\b(?:is |are |was |not |must |required|missing|undefined|unset)|(?:missing|set|provide|requires?|undefined)\b[^\n]{0,60}?\b([A-Z][A-Z0-9]*_[A-Z0-9_]+)\b/,
    meaning: (match) => `It wants the environment variable ${match[1] ?? match[2]}.`,
    fix: (match) => {
      const name = match[1] ?? match[2]
      return `Add "env": { "${name}": "\${env:${name}}" } to this target and set the variable: targets get a short list of safe variables only.`
    },
  },
  {
    code: 'port_in_use',
    pattern: /EADDRINUSE|address already in use/i,
    meaning: () => 'It wants to open a port that something else uses.',
    fix: () => 'Start it for stdio, or give it another port.',
  },
  {
    code: 'not_permitted',
    pattern: /EACCES|permission denied|EPERM|operation not permitted/i,
    meaning: () => 'It is not allowed to do something that it needs.',
    fix: () => 'Its last lines say what; check the permissions of that file or folder.',
  },
  {
    code: 'file_missing',
    pattern: /ENOENT[^\n]*'([^']+)'|No such file or directory:? '?([^'\n]+)/i,
    meaning: (match) => `A file or folder that it needs is not there: ${match[1] ?? match[2]}.`,
    fix: () => 'Correct "args" or "cwd"; relative paths start at "cwd".',
  },
  {
    code: 'usage',
    pattern: /^\s*usage:|unknown (?:option|argument|command)|unrecognized arguments?/im,
    meaning: () => 'It does not understand its arguments.',
    fix: () => 'Compare "args" with what its documentation says.',
  },
]

export function explainExit(error: McpError, { model, step, stderr, noise }: FailureContext): Explanation {
  const what = howItEnded(error, step)
  const kept = Array.isArray(error.details.stderr) ? (error.details.stderr as string[]) : []
  const text = (kept.length > 0 ? kept : stderr).slice(-40).join('\n')
  const repair = model.kind === 'stdio' ? brokenInstall(model, text) : undefined
  if (repair) {
    const by =
      'command' in repair
        ? repair.command.join(' ')
        : removal('folder' in repair ? [repair.folder] : repair.folders)
    return {
      code: 'broken_install',
      what,
      meaning:
        'An earlier installation of this package was ended in the middle, and its launcher does not notice.',
      fix: `Remove what it left, and it is installed again: gantry doctor ${model.name} --fix, or ${by}`,
      repair,
    }
  }
  for (const { code, pattern, meaning, fix } of SIGNS) {
    const match = pattern.exec(text)
    if (match) return { code, what, meaning: meaning(match), fix: fix(match) }
  }
  if (noise.length > 0) return { ...noiseExplanation(noise), what: `${what}, after it wrote text to stdout` }
  if (model.kind !== 'stdio') return { code: 'closed', what, fix: 'Look at the log of the server.' }
  const isQuiet = text.trim() === ''
  return {
    code: 'exited',
    what,
    meaning: isQuiet ? 'It wrote nothing to stderr.' : 'Its last lines on stderr say why.',
    fix: isQuiet
      ? 'Run the command by hand to see what it says. Some servers end at once when an argument is missing.'
      : 'Put right what it complains about.',
  }
}

function removal(folders: readonly string[]): string {
  const isWindows = process.platform === 'win32'
  const names = folders.map((folder) => (isWindows ? `"${folder}"` : `'${folder}'`)).join(' ')
  return isWindows ? `rmdir /s /q ${names}` : `rm -rf ${names}`
}

function howItEnded(error: McpError, step: string | undefined): string {
  const { exitCode, signal } = error.details
  const when = step === undefined || step === 'spawn' ? '' : ` (at the step "${step}")`
  if (typeof signal === 'string') return `The process was killed by ${signal}${when}`
  if (typeof exitCode === 'number') return `The process ended with exit code ${exitCode}${when}`
  return error.message.split('. The last it wrote')[0]! + when
}
