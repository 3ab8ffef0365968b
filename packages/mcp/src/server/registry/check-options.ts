import { McpError } from '../../jsonrpc/index.ts'
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

/** What an option must be; 0 where its reader looks for itself. */
type Form =
  | 0
  | 'text'
  | 'a number'
  | 'true or false'
  | 'a function'
  | 'a list'
  | 'an object'
  | 'a list or an object'
type Forms<T> = Record<keyof T, Form>

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
  ttl: 0,
  cacheScope: 'text',
} as const
const HINT = 'true or false'

/** All options of each kind; the compiler finds one that is missing here. */
const OPTIONS = {
  tool: {
    ...COMMON,
    input: 0,
    output: 0,
    annotations: 'an object',
    readOnlyHint: HINT,
    destructiveHint: HINT,
    idempotentHint: HINT,
    openWorldHint: HINT,
    task: 'text',
    run: 'a function',
  } satisfies Forms<ToolDefinition>,
  prompt: {
    ...COMMON,
    arguments: 'a list or an object',
    input: 0,
    run: 'a function',
    '~types': 0,
  } satisfies Forms<PromptDefinition>,
  argument: {
    name: 'text',
    title: 'text',
    description: 'text',
    required: 'true or false',
    complete: 'a function',
  } satisfies Record<keyof PromptArgumentOptions | 'name', Form>,
  resource: {
    ...RESOURCE,
    uri: 'text',
    text: 0,
    blob: 0,
    read: 'a function',
  } satisfies Forms<ResourceDefinition>,
  template: {
    ...RESOURCE,
    uriTemplate: 'text',
    read: 'a function',
    complete: 'an object',
  } satisfies Forms<TemplateDefinition>,
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
    cache: 'an object',
    listFilter: 'a function',
    capabilities: 'an object',
    secret: 0,
    store: 'an object',
    requestStateTtl: 0,
    alwaysReplay: 'true or false',
    onReplayWarning: 'a function',
    subscriptions: 'an object',
    answerTimeout: 0,
    numbers: 'text',
    revisions: 'a list',
    strict: 'true or false',
  } satisfies Forms<ServerOptions>,
}

/** An option that is misspelt, or of another form, would do nothing, or something else, without a word. */
export function requireOptions(kind: Kind, name: string, options: object): void {
  const forms: Record<string, Form> = OPTIONS[kind]
  // Instances of classes may have members of their own.
  if (Object.getPrototypeOf(options) === Object.prototype) {
    const unknown = Object.keys(options).find((key) => !Object.hasOwn(forms, key))
    const all = Object.keys(forms).filter((key) => !key.startsWith('~'))
    if (unknown !== undefined)
      throw invalidDefinition(
        `The ${kind} "${name}" has no option "${unknown}"; its options are ${all.join(', ')}`,
      )
  }
  for (const [key, form] of Object.entries(forms)) {
    const value = (options as Record<string, unknown>)[key]
    if (value === undefined || form === 0 || form.includes(formOf(value))) continue
    throw invalidDefinition(
      `The option "${key}" of the ${kind} "${name}" must be ${form}, not ${shown(value)}`,
    )
  }
}

function formOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (value === null) return 'null'
  const form = typeof value
  return (
    { string: 'text', number: 'a number', boolean: 'true or false', object: 'an object' }[form as 'string'] ??
    `a ${form}`
  )
}

function shown(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 50)) : formOf(value)
}

/** A definition is an object; for lists of them, so is an instance. */
export function requireDefinition(kind: Kind, name: string | undefined, definition: unknown): void {
  if (typeof definition === 'object' && definition !== null) return
  const named = name === undefined ? '' : ` "${name}"`
  throw invalidDefinition(
    `The ${kind}${named} is ${shown(definition)}, and must be an object with its options`,
  )
}

/** Values that would be taken for another, or for none. */
export function requireSettings({ name, numbers, revisions, pageSize }: ServerOptions): void {
  if (numbers !== undefined && numbers !== 'exact' && numbers !== 'rounded')
    throw invalidDefinition(`The option "numbers" of the server "${name}" is "exact" or "rounded"`)
  if (revisions && (revisions.length === 0 || !revisions.every(isRevision)))
    throw invalidDefinition(`The option "revisions" of the server "${name}" may have ${REVISIONS.join(', ')}`)
  if (pageSize !== undefined && !(pageSize >= 1))
    throw invalidDefinition(`The option "pageSize" of the server "${name}" must be 1 or more`)
}

export function invalidDefinition(message: string): McpError {
  return new McpError('invalid_definition', message)
}
