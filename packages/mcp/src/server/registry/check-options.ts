import { McpError } from '../../jsonrpc/index.ts'
import {
  CACHE_HINTS,
  type FormsOf,
  type OptionForm,
  optionProblem,
  shown,
} from '../../protocol/known-options.ts'
import { isRevision, REVISIONS } from '../../protocol/revisions.ts'
import type {
  PromptArgumentOptions,
  PromptDefinition,
  ResourceDefinition,
  TemplateDefinition,
  ToolDefinition,
} from '../definitions/definitions.ts'
import type { ServerOptions } from '../definitions/server-options.ts'

type Kind = 'tool' | 'prompt' | 'argument' | 'resource' | 'template' | 'server'

const COMMON = {
  name: 'text',
  title: 'text',
  description: 'text',
  icons: 'a list',
  _meta: 'an object',
  when: 'a function',
  scopes: 'a list',
} as const
const RESOURCE = {
  ...COMMON,
  mimeType: 'text',
  annotations: 'an object',
  size: 'a number',
  ...CACHE_HINTS,
} as const
const HINT = 'true or false'

/** All options of each kind; the compiler finds one that is missing here. */
const OPTIONS = {
  tool: {
    ...COMMON,
    input: 1,
    output: 1,
    annotations: 'an object',
    readOnlyHint: HINT,
    destructiveHint: HINT,
    idempotentHint: HINT,
    openWorldHint: HINT,
    task: ['optional', 'required', 'manual'],
    run: 'a function',
  } satisfies FormsOf<ToolDefinition>,
  prompt: {
    ...COMMON,
    arguments: 'a list or an object',
    input: 1,
    run: 'a function',
  } satisfies FormsOf<Omit<PromptDefinition, '~types'>>,
  argument: {
    name: 'text',
    title: 'text',
    description: 'text',
    required: 'true or false',
    complete: 'a function',
  } satisfies Record<keyof PromptArgumentOptions | 'name', OptionForm>,
  resource: {
    ...RESOURCE,
    uri: 'text',
    text: 1,
    blob: 1,
    read: 'a function',
  } satisfies FormsOf<ResourceDefinition>,
  template: {
    ...RESOURCE,
    uriTemplate: 'text',
    read: 'a function',
    complete: 'an object',
  } satisfies FormsOf<TemplateDefinition>,
  server: {
    name: 'text',
    version: 'text',
    title: 'text',
    description: 'text',
    websiteUrl: 'text',
    icons: 'a list',
    instructions: 'text',
    tools: 'a list or an object',
    prompts: 'a list or an object',
    resources: 'a list or an object',
    templates: 'a list or an object',
    resourcesListHandler: 'a function',
    resourcesReadHandler: 'a function',
    configuration: 'an object',
    middleware: 'a list',
    pageSize: 'a number',
    cache: {
      tools: CACHE_HINTS,
      prompts: CACHE_HINTS,
      resources: CACHE_HINTS,
      templates: CACHE_HINTS,
      discover: CACHE_HINTS,
    },
    listFilter: 'a function',
    capabilities: 'an object',
    secret: 1,
    store: 'an object',
    requestStateTtl: 1,
    alwaysReplay: 'true or false',
    onReplayWarning: 'a function',
    subscriptions: { perRequest: 1, perCaller: 1, total: 1 },
    answerTimeout: 1,
    numbers: ['exact', 'rounded'],
    revisions: 'a list',
    strict: 'true or false',
  } satisfies FormsOf<ServerOptions>,
}

/** A misspelt option would silently do nothing, and one of the wrong type would silently do something else. */
export function requireOptions(kind: Kind, name: string, options: object): void {
  const forms = OPTIONS[kind]
  // Instances of classes may have members of their own, and options that they inherit.
  const isPlain = Object.getPrototypeOf(options) === Object.prototype
  const problem = optionProblem(
    `The ${kind} "${name}"`,
    forms,
    options,
    isPlain ? undefined : Object.keys(forms),
  )
  if (problem !== undefined) throw invalidDefinition(problem)
}

/** A definition is an object; for lists of them, so is an instance. */
export function requireDefinition(kind: Kind, name: string | undefined, definition: unknown): void {
  if (typeof definition === 'object' && definition !== null) return
  const named = name === undefined ? '' : ` "${name}"`
  throw invalidDefinition(`The ${kind}${named} is ${shown(definition)}, and must be an object`)
}

/** Refuses values that would be read as another value, or ignored. */
export function requireSettings({ name, revisions, pageSize }: ServerOptions): void {
  if (revisions && (revisions.length === 0 || !revisions.every(isRevision)))
    throw invalidDefinition(`The server "${name}" takes some of ${REVISIONS.join(', ')} as "revisions"`)
  if (pageSize !== undefined && !(pageSize >= 1))
    throw invalidDefinition(`The server "${name}" takes 1 or more as "pageSize"`)
}

export function invalidDefinition(message: string): McpError {
  return new McpError('invalid_definition', message)
}
