import { comment, literal, memberName, uriType } from './safe-text.ts'
import { block, SchemaType } from './schema-type.ts'
import { TypeNames } from './type-names.ts'

interface Named {
  readonly name: string
  readonly description?: unknown
}

interface Tool extends Named {
  readonly inputSchema?: unknown
  readonly outputSchema?: unknown
}

interface Prompt extends Named {
  readonly arguments?: readonly (Named & { readonly required?: unknown })[] | undefined
}

/** The lists of a foreign server. They may hold anything. */
export interface Offer {
  readonly server?: { readonly name?: unknown; readonly version?: unknown } | undefined
  readonly tools: readonly Tool[]
  readonly prompts: readonly Prompt[]
  readonly resources: readonly { readonly uri: string }[]
  readonly templates: readonly { readonly uriTemplate: string }[]
}

/** The client has no function of such a name: JavaScript looks for it in any object. */
const NOT_FUNCTIONS: ReadonlySet<string> = new Set([
  'then',
  'toJSON',
  'inspect',
  ...Object.getOwnPropertyNames(Object.prototype),
])

/** A declaration file with the type of a server: `connect<App>(…)` is typed by it as by `typeof app`. */
export function writeTypes({ server, tools, prompts, resources, templates }: Offer): string {
  const names = new TypeNames()
  const known = unique(tools, ({ name }) => name).filter(({ name }) => !NOT_FUNCTIONS.has(name))
  const app = block([
    `readonly '~tools'?: ${block(known.map((tool) => toolMember(tool, names)))}`,
    `readonly '~prompts'?: ${block(unique(prompts, ({ name }) => name).map(promptMember))}`,
  ])
  const uris = [
    ...resources.map(({ uri }) => literal(String(uri))),
    ...templates.map(({ uriTemplate }) => uriType(String(uriTemplate))),
  ]
  const of = [server?.name, server?.version].filter((part) => typeof part === 'string').join(' ')
  return [
    comment(`The types of ${of || 'an MCP server'}, written by "gantry types". Use them as: connect<App>(…)`),
    `export interface App ${app}\n`,
    `\n/** The URIs of resources that the server lists, and of its templates. */\n`,
    `export type ResourceUri = ${[...new Set(uris)].join(' | ') || 'never'}\n`,
    ...names.declarations.map((text) => `\n${text}`),
  ].join('')
}

function toolMember({ name, description, inputSchema, outputSchema }: Tool, names: TypeNames): string {
  const input = new SchemaType(inputSchema, `${name} input`, names).text()
  // Without a schema the result is text, or whatever the server adds.
  const output =
    outputSchema === undefined ? 'unknown' : new SchemaType(outputSchema, `${name} output`, names).text()
  return `${comment(description)}${memberName(name)}: ${block([`input: ${input}`, `output: ${output}`])}`
}

function promptMember({ name, description, arguments: all }: Prompt): string {
  const members = unique(Array.isArray(all) ? all : [], (argument) => argument.name).map(
    (argument) =>
      `${comment(argument.description)}${memberName(argument.name)}${argument.required === true ? '' : '?'}: string`,
  )
  return `${comment(description)}${memberName(name)}: { input: ${block(members)} }`
}

/** The first of each name: a type has a member once. */
function unique<Item>(items: readonly Item[], nameOf: (item: Item) => string): Item[] {
  const named = items.filter((item) => typeof nameOf(item) === 'string')
  return [...new Map(named.toReversed().map((item) => [nameOf(item), item])).values()].toReversed()
}
