import { isAbsolute, resolve, basename, sep } from 'node:path'
import type { RawOauth, RawTarget } from '../../model/index.ts'
import type { ClientId } from './clients.ts'

export type TranslatedEntry =
  | { readonly ok: true; readonly target: RawTarget; readonly notes: readonly string[] }
  | { readonly ok: false; readonly reason: string }

type Values = Readonly<Record<string, unknown>>

/** Keys that are understood, or that mean nothing to a gateway and are dropped silently. */
const SILENT: ReadonlySet<string> = new Set([
  ...[
    'command',
    'args',
    'env',
    'envFile',
    'cwd',
    'url',
    'serverUrl',
    'httpUrl',
    'headers',
    'type',
    'transport',
    'transportType',
    'bearerToken',
    'description',
  ],
  ...[
    'disabled',
    'enabled',
    'disabledTools',
    'oauth',
    'autoApprove',
    'alwaysAllow',
    'trust',
    'gallery',
    'version',
  ],
])

/** One server of a client's list, as a target of the gateway. */
export function translateEntry(entry: unknown, scope: VariableScope): TranslatedEntry {
  if (typeof entry !== 'object' || entry === null) return { ok: false, reason: 'it is not an object' }
  const values = entry as Values
  const notes: string[] = []
  const foreign: string[] = []
  const translate = (text: string): string => {
    const translated = translateVariables(text, scope)
    notes.push(...translated.notes)
    foreign.push(...translated.foreign)
    return translated.text
  }
  const target = toStdio(values, translate, scope) ?? toUrl(values, translate)
  if (!target) return { ok: false, reason: 'it names neither a command nor a URL' }
  // Taken over it could not start, and a client pointed at the gateway would have lost it.
  if (foreign.length > 0) {
    return { ok: false, reason: `only its client knows what ${foreign[0]} is, so it stays there` }
  }
  Object.assign(target, toOptions(values))
  for (const key of Object.keys(values)) {
    if (!SILENT.has(key)) notes.push(`"${key}" has no meaning here and is left out`)
  }
  return { ok: true, target, notes: [...new Set(notes)] }
}

type Translate = (text: string) => string

function toStdio(values: Values, translate: Translate, scope: VariableScope): RawTarget | undefined {
  if (typeof values.command !== 'string' || values.command === '') return undefined
  const target: RawTarget = { command: translate(values.command) }
  if (Array.isArray(values.args) && values.args.length > 0) {
    target.args = values.args.map((arg) => translate(String(arg)))
  }
  const env = toTexts(values.env, translate)
  if (env) target.env = env
  if (typeof values.envFile === 'string') target.envFile = inFolder(translate(values.envFile), scope)
  // A server of a project counts on running there.
  if (typeof values.cwd === 'string') target.cwd = inFolder(translate(values.cwd), scope)
  else if (scope.folder !== undefined) target.cwd = scope.folder
  return target
}

function toUrl(values: Values, translate: Translate): RawTarget | undefined {
  const url = [values.url, values.serverUrl, values.httpUrl].find((value) => typeof value === 'string')
  if (typeof url !== 'string') return undefined
  const target: RawTarget = { url: translate(url) }
  const kind = String(values.type ?? values.transport ?? values.transportType ?? '')
  if (/^sse$/i.test(kind)) target.transport = 'sse'
  else if (/^(streamable[-_]?)?http$/i.test(kind)) target.transport = 'http'
  const headers = { ...bearerOf(values, translate), ...toTexts(values.headers, translate) }
  if (Object.keys(headers).length > 0) target.headers = headers
  const oauth = toOAuth(values.oauth)
  if (oauth) target.oauth = oauth
  return target
}

/** The token that MetaMCP keeps instead of the header. */
function bearerOf({ bearerToken }: Values, translate: Translate): Record<string, string> {
  if (typeof bearerToken !== 'string' || bearerToken === '') return {}
  return { Authorization: `Bearer ${translate(bearerToken)}` }
}

function toOptions(values: Values): Partial<RawTarget> {
  const options: Partial<RawTarget> = {}
  if (typeof values.description === 'string') options.description = values.description
  if (values.disabled === true || values.enabled === false) options.enabled = false
  if (Array.isArray(values.disabledTools) && values.disabledTools.length > 0) {
    options.tools = { exclude: values.disabledTools.map(String) }
  }
  return options
}

function toOAuth(value: unknown): RawOauth | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { clientId, callbackPort, scopes } = value as Values
  const oauth: RawOauth = {}
  if (typeof clientId === 'string') oauth.clientId = clientId
  if (typeof callbackPort === 'number') oauth.callbackPort = callbackPort
  if (typeof scopes === 'string') oauth.scopes = scopes.split(/\s+/).filter(Boolean)
  return Object.keys(oauth).length === 0 ? undefined : oauth
}

function toTexts(value: unknown, translate: Translate): Record<string, string> | undefined {
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return undefined
  const present = Object.entries(value).filter(([, text]) => text !== null && text !== undefined)
  return Object.fromEntries(present.map(([key, text]) => [key, translate(String(text))]))
}

function inFolder(path: string, { folder }: VariableScope): string {
  const isRooted = isAbsolute(path) || /^(~|\$\{|[A-Za-z]:[\\/])/.test(path)
  return folder === undefined || isRooted ? path : resolve(folder, path)
}

interface VariableScope {
  readonly client: ClientId
  readonly home: string
  readonly folder: string | undefined
  /** Presets of the questions that an editor asks, by their ids. */
  readonly defaults?: ReadonlyMap<string, string> | undefined
}

interface Translated {
  readonly text: string
  readonly notes: readonly string[]
  /** Variables that only the client can fill in, and that something depends on. */
  readonly foreign: readonly string[]
}

/** Variables that depend on the window of an editor. */
const EDITOR_ONLY =
  /^(workspaceFolder|workspaceFolderBasename|cwd|file\w*|relativeFile\w*|execPath|(command|config):.+)$/

/** Writes a client's variables as our references. Each client has its own syntax and meaning. */
function translateVariables(text: string, scope: VariableScope): Translated {
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
