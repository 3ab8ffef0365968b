import { McpError } from '../../jsonrpc/index.ts'
import type {
  PromptArgumentOptions,
  PromptDefinition,
  ResourceDefinition,
  TemplateDefinition,
  ToolDefinition,
} from '../definitions/definitions.ts'
import type { ServerOptions } from '../definitions/server-options.ts'

type Kind = 'tool' | 'prompt' | 'argument' | 'resource' | 'template' | 'server'

const COMMON = { name: 1, title: 1, description: 1, icons: 1, _meta: 1, when: 1, scopes: 1 } as const
const RESOURCE = { ...COMMON, mimeType: 1, annotations: 1, size: 1, ttl: 1, cacheScope: 1 } as const

/** All options of each kind; the compiler finds one that is missing here. */
const OPTIONS = {
  tool: {
    ...COMMON,
    input: 1,
    output: 1,
    annotations: 1,
    readOnlyHint: 1,
    destructiveHint: 1,
    idempotentHint: 1,
    openWorldHint: 1,
    task: 1,
    run: 1,
  } satisfies Record<keyof ToolDefinition, 1>,
  prompt: { ...COMMON, arguments: 1, input: 1, run: 1, '~types': 1 } satisfies Record<
    keyof PromptDefinition,
    1
  >,
  argument: { name: 1, title: 1, description: 1, required: 1, complete: 1 } satisfies Record<
    keyof PromptArgumentOptions | 'name',
    1
  >,
  resource: { ...RESOURCE, uri: 1, text: 1, blob: 1, read: 1 } satisfies Record<keyof ResourceDefinition, 1>,
  template: { ...RESOURCE, uriTemplate: 1, read: 1, complete: 1 } satisfies Record<
    keyof TemplateDefinition,
    1
  >,
  server: {
    name: 1,
    version: 1,
    title: 1,
    description: 1,
    websiteUrl: 1,
    icons: 1,
    instructions: 1,
    tools: 1,
    prompts: 1,
    resources: 1,
    templates: 1,
    resourcesListHandler: 1,
    resourcesReadHandler: 1,
    configuration: 1,
    middleware: 1,
    pageSize: 1,
    cache: 1,
    listFilter: 1,
    capabilities: 1,
    secret: 1,
    store: 1,
    requestStateTtl: 1,
    alwaysReplay: 1,
    onReplayWarning: 1,
    subscriptions: 1,
    answerTimeout: 1,
    numbers: 1,
    revisions: 1,
    strict: 1,
  } satisfies Record<keyof ServerOptions, 1>,
}

/** A misspelt option would do nothing, without a word. Instances of classes may have members of their own. */
export function requireKnownOptions(kind: Kind, name: string, options: object): void {
  if (Object.getPrototypeOf(options) !== Object.prototype) return
  const known: object = OPTIONS[kind]
  const unknown = Object.keys(options).find((key) => !Object.hasOwn(known, key))
  if (unknown === undefined) return
  const all = Object.keys(known).filter((key) => !key.startsWith('~'))
  throw invalid(`The ${kind} "${name}" has no option "${unknown}"; its options are ${all.join(', ')}`)
}

/** What clients and models accept (2025-11-25, Tool Names). */
export function requireToolName(name: string): void {
  if (name === '') throw invalid('A tool needs a name')
  if (/^[\w.-]{1,128}$/.test(name)) return
  throw invalid(
    `A tool cannot be called "${name.slice(0, 150)}": names have 1 to 128 letters from A to Z, digits, "_", "-" and "."`,
  )
}

export function requireServerName(name: unknown): void {
  if (typeof name !== 'string' || name.trim() === '') throw invalid('A server needs a name')
}

/** It has no underscore, so that names can be taken apart, and begins a scheme. */
export function requirePrefix(prefix: string, taken: ReadonlyMap<string, unknown>): void {
  if (!/^[a-z][a-z\d-]{0,31}$/.test(prefix)) {
    throw invalid(
      `"${prefix}" is no prefix: it begins with a small letter, and has small letters, digits and "-"`,
    )
  }
  if (taken.has(prefix)) throw invalid(`There is already something mounted as "${prefix}"`)
}

/** The variables of a template may stand for its scheme as well. */
export function requireUriTemplate(template: unknown): void {
  if (typeof template !== 'string' || template === '') throw invalid('A template needs a uriTemplate')
  requireUri(template.replace(/^\{[^}]*\}/, 'x:x').replaceAll(/\{[^}]*\}/g, 'x'), template)
}

export function requireUri(uri: unknown, named: unknown = uri): void {
  if (typeof uri !== 'string' || uri === '') throw invalid('A resource needs a uri')
  if (/^[a-z][a-z\d+.-]*:[^\s\p{Cc}]+$/iu.test(uri)) return
  throw invalid(
    `"${String(named).slice(0, 150)}" is no URI: it needs a scheme, as in notes://1, and no spaces`,
  )
}

function invalid(message: string): McpError {
  return new McpError('invalid_definition', message)
}
