import { basename, sep } from 'node:path'
import type { ClientId } from './clients.ts'

export interface VariableScope {
  readonly client: ClientId
  readonly home: string
  readonly folder: string | undefined
  /** Presets of the questions that an editor asks, by their ids. */
  readonly defaults?: ReadonlyMap<string, string> | undefined
}

export interface Translated {
  readonly text: string
  readonly notes: readonly string[]
  /** Variables that only the client can fill in, and that something depends on. */
  readonly foreign: readonly string[]
}

/** What an editor knows of the moment; for a list of the user's it differs from window to window. */
const EDITOR_ONLY =
  /^(workspaceFolder|workspaceFolderBasename|cwd|file\w*|relativeFile\w*|execPath|(command|config):.+)$/

/**
 * Writes a client's variables as references of ours. Each client has its own: `${TOKEN}` is the environment to
 * Claude Code, plain text to Claude Desktop, and `${input:token}` a question that only an editor can ask.
 */
export function translateVariables(text: string, scope: VariableScope): Translated {
  const notes: string[] = []
  const foreign: string[] = []
  const translated = text.replaceAll(/\$\{([^}]*)\}/g, (whole, inside: string) => {
    if (scope.client === 'claude-desktop') return `$${whole}`
    if (/^(env|file):/.test(inside)) return whole
    const input = /^(?:prompt)?input:(.+)$/i.exec(inside)
    if (input) {
      const name = toVariable(input[1]!)
      const preset = scope.defaults?.get(input[1]!)
      // A reference ends with the first brace.
      const isKept = preset !== undefined && !preset.includes('}')
      const otherwise = isKept ? `; without it, ${JSON.stringify(preset)} is used` : ''
      notes.push(
        `${whole} was asked for by the editor; set the environment variable ${name} instead${otherwise}`,
      )
      return `\${env:${name}${isKept ? `:-${preset}` : ''}}`
    }
    const known = knownPlace(inside, scope)
    if (known !== undefined) return known
    const variable = /^([A-Za-z_]\w*)(:-.*)?$/s.exec(inside)
    const isEnvironment = variable && (scope.client === 'claude-code' || scope.client === 'mcp-json')
    if (isEnvironment) return `\${env:${inside}}`
    if (EDITOR_ONLY.test(inside)) foreign.push(whole)
    notes.push(`${whole} has no meaning here and is kept as plain text`)
    return `$${whole}`
  })
  return { text: translated, notes, foreign }
}

function knownPlace(inside: string, { home, folder, client }: VariableScope): string | undefined {
  if (inside === 'userHome') return home
  if (inside === 'pathSeparator' || inside === '/') return sep
  if (folder === undefined) return undefined
  if (inside === 'workspaceFolder' || inside === 'cwd') return folder
  if (inside === 'workspaceFolderBasename') return basename(folder)
  return client === 'claude-code' && inside === 'CLAUDE_PROJECT_DIR' ? folder : undefined
}

function toVariable(id: string): string {
  const name = id.replaceAll(/[^A-Za-z0-9]+/g, '_').toUpperCase()
  return /^\d/.test(name) ? `_${name}` : name
}
