import { McpError } from '../../jsonrpc/index.ts'
import type { Prompt as PromptInfo, PromptArgument } from '../../protocol/index.ts'
import { compileSchema, type CompiledSchema } from '../../schema/index.ts'
import { requireOptions } from './check-options.ts'
import type { AnyPrompt, Completer, PromptArguments } from '../definitions/definitions.ts'

export interface CompiledPrompt {
  readonly name: string
  readonly definition: AnyPrompt
  readonly info: PromptInfo
  readonly arguments: readonly PromptArgument[]
  readonly completers: ReadonlyMap<string, Completer>
  readonly input: CompiledSchema | undefined
}

type ArgumentWithCompleter = PromptArgument & { complete?: Completer }

export function compilePrompt(name: string, definition: AnyPrompt): CompiledPrompt {
  if (name.trim() === '') throw new McpError('invalid_definition', 'A prompt needs a name')
  if (typeof definition.run !== 'function') {
    throw new McpError('invalid_definition', `The prompt "${name}" has no run function`)
  }
  requireOptions('prompt', name, definition)
  const input = definition.input && compileSchema(definition.input, { io: 'input', root: 'object' })
  const declared = [...listArguments(definition), ...(input ? argumentsOf(input, definition) : [])]
  const completers = new Map<string, Completer>()
  const args = declared.map(({ complete, ...argument }) => {
    requireArgument(name, argument)
    if (complete) completers.set(argument.name, complete)
    return argument
  })
  const { title, description, icons, _meta } = definition
  const info: PromptInfo = {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(args.length > 0 && { arguments: args }),
    ...(icons && { icons }),
    ...(_meta && { _meta }),
  }
  return { name, definition, info, arguments: args, completers, input }
}

/** An argument without a name, or with a misspelt `required`, would only puzzle clients. */
function requireArgument(prompt: string, argument: PromptArgument): void {
  if (typeof argument.name !== 'string' || argument.name === '') {
    throw new McpError('invalid_definition', `An argument of the prompt "${prompt}" has no name`)
  }
  requireOptions('argument', argument.name, argument)
}

function listArguments(definition: AnyPrompt): ArgumentWithCompleter[] {
  const declared = definition.arguments
  if (!declared || definition.input) return []
  if (isList(declared)) return [...declared]
  return Object.entries(declared).map(([name, options]) => ({ name, ...options }))
}

/** `Array.isArray` does not tell read-only arrays from other objects. */
function isList(declared: PromptArguments | undefined): declared is readonly ArgumentWithCompleter[] {
  return Array.isArray(declared)
}

/** Arguments are strings on the wire, so a schema only says their names, descriptions and which are required. */
function argumentsOf(input: CompiledSchema, definition: AnyPrompt): ArgumentWithCompleter[] {
  const properties = (input.jsonSchema.properties ?? {}) as Record<
    string,
    { title?: string; description?: string }
  >
  const required = new Set((input.jsonSchema.required as string[] | undefined) ?? [])
  const extra = isList(definition.arguments) ? {} : (definition.arguments ?? {})
  return Object.entries(properties).map(([name, { title, description }]) => ({
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(required.has(name) && { required: true }),
    ...(Object.hasOwn(extra, name) && extra[name]),
  }))
}
