import type { Complete, Exchange } from '../../exchange/index.ts'
import { McpError } from '../../jsonrpc/index.ts'
import { LATEST_LEGACY, type Implementation } from '../../protocol/index.ts'
import type { ListKind } from './change-hub.ts'
import type { AnyPrompt, AnyTool, ResourceDefinition, AnyTemplate } from '../definitions/definitions.ts'
import { requireDefinition } from './check-options.ts'
import { ListPages } from './list-pages.ts'
import { compilePrompt, type CompiledPrompt } from './prompt-registry.ts'
import { Registry, type Registration } from './registry.ts'
import {
  compileResource,
  compileTemplate,
  type CompiledResource,
  type CompiledTemplate,
} from './resource-registry.ts'
import {
  type CacheHint,
  cacheMembers,
  type Named,
  type ServerOptions,
} from '../definitions/server-options.ts'
import { compileTool, ownNameOf, type CompiledTool } from './tool-registry.ts'
import { callerOf, isRestricted, isVisible, type Visibility } from '../definitions/visibility.ts'

type Kind = 'tool' | 'prompt' | 'resource' | 'template'

interface Collection<T> {
  readonly registry: Registry<T>
  readonly pages: ListPages<T>
}

interface Compiled {
  readonly definition: Visibility & object
  readonly info: unknown
  readonly taskSupport?: 'optional' | 'required' | undefined
}

export class Lists {
  readonly tools: Registry<CompiledTool>
  readonly prompts: Registry<CompiledPrompt>
  readonly resources: Registry<CompiledResource>
  readonly templates: Registry<CompiledTemplate>
  readonly #options: ServerOptions
  readonly #info: Implementation
  readonly #pages = new Map<string, Pick<ListPages<unknown>, 'page' | 'invalidate'>>()
  #showsTaskSupport = false
  /** False while the constructor fills the registries, when there are no listeners yet. */
  #announcing = false

  constructor(options: ServerOptions, info: Implementation, changed: (kind: ListKind) => void) {
    this.#options = options
    this.#info = info
    const { cache } = options
    this.tools = this.#collect<CompiledTool>('tool', 'tools', 'tools/list', 'tools', cache?.tools, changed)
    this.prompts = this.#collect<CompiledPrompt>(
      'prompt',
      'prompts',
      'prompts/list',
      'prompts',
      cache?.prompts,
      changed,
    )
    this.resources = this.#collect<CompiledResource>(
      'resource',
      'resources',
      'resources/list',
      'resources',
      cache?.resources,
      changed,
    )
    this.templates = this.#collect<CompiledTemplate>(
      'template',
      'resources',
      'resources/templates/list',
      'resourceTemplates',
      cache?.templates,
      changed,
    )
  }

  #collect<T extends Compiled>(
    kind: Kind,
    announced: ListKind,
    method: string,
    member: string,
    cache: CacheHint | undefined,
    changed: (kind: ListKind) => void,
  ): Registry<T> {
    const { listFilter, pageSize } = this.#options
    const collection: Collection<T> = {
      registry: new Registry<T>(kind, () => {
        collection.pages.invalidate()
        if (this.#announcing) changed(announced)
      }),
      get pages(): ListPages<T> {
        return pages
      },
    }
    const pages = new ListPages<T>({
      method,
      member,
      registry: collection.registry,
      pageSize,
      cache: cacheMembers(cache),
      serverInfo: this.#info,
      infoOf: (value, exchange) => this.#infoFor(value, exchange),
      isRestricted: (value) => isRestricted(value.definition),
      isVisible: (entry, exchange) =>
        isVisible(entry.value.definition, exchange) &&
        (listFilter === undefined || listFilter(kind, entry.key, callerOf(exchange))),
      isUniform: () => listFilter === undefined,
    })
    this.#pages.set(method, pages)
    return collection.registry
  }

  /** `execution.taskSupport` came with 2025-11-25 and went with it (SEP-2663). */
  #infoFor({ info, taskSupport }: Compiled, { client }: Exchange): unknown {
    if (taskSupport === undefined || !this.#showsTaskSupport || client.version !== LATEST_LEGACY) return info
    return { ...(info as object), execution: { taskSupport } }
  }

  /** Whether tools say which of them can be called as tasks. */
  showTaskSupport(shows: boolean): void {
    this.#showsTaskSupport = shows
    this.#pages.get('tools/list')!.invalidate()
  }

  addAll(options: ServerOptions): void {
    each(options.tools, (value, name) => this.addTool(value, name))
    each(options.prompts, (value, name) => this.addPrompt(value, name))
    each(options.resources, (value, name) => this.addResource(value, name))
    each(options.templates, (value, name) => this.addTemplate(value, name))
    this.#announcing = true
  }

  registration(kind: Kind, key: string): Registration<never> {
    const found = this[`${kind}s`].registration(key)
    if (!found) throw new McpError('invalid_definition', `There is no ${kind} called "${key}"`)
    return found
  }

  addTool(definition: AnyTool, name: string | undefined): void {
    requireDefinition('tool', name, definition)
    const key = nameOf('tool', name, definition)
    register(this.tools, key, definition, (changed) => compileTool(key, changed))
  }

  addPrompt(definition: AnyPrompt, name: string | undefined): void {
    requireDefinition('prompt', name, definition)
    const key = nameOf('prompt', name, definition)
    register(this.prompts, key, definition, (changed) => compilePrompt(key, changed))
  }

  addResource(definition: ResourceDefinition, name: string | undefined): void {
    requireDefinition('resource', name, definition)
    const compile = (changed: ResourceDefinition): CompiledResource =>
      compileResource(changed, name ?? ownNameOf(changed))
    register(this.resources, definition.uri, definition, compile)
  }

  addTemplate(definition: AnyTemplate, name: string | undefined): void {
    requireDefinition('template', name, definition)
    const compile = (changed: AnyTemplate): CompiledTemplate =>
      compileTemplate(changed, name ?? ownNameOf(changed))
    register(this.templates, definition.uriTemplate, definition, compile)
  }

  /** The page that an exchange asks for; undefined when the server has no such list. */
  page(exchange: Exchange): Complete | undefined {
    const kind = exchange.method.slice(0, exchange.method.indexOf('/')) as ListKind
    if (!this.has(kind) && this.#options.capabilities?.[kind] === undefined) return undefined
    return this.#pages.get(exchange.method)!.page(exchange)
  }

  has(kind: 'tools' | 'prompts' | 'resources' | 'completions'): boolean {
    switch (kind) {
      case 'tools':
        return this.tools.size > 0
      case 'prompts':
        return this.prompts.size > 0
      case 'resources':
        return (
          this.resources.size > 0 ||
          this.templates.size > 0 ||
          this.#options.resourcesReadHandler !== undefined ||
          this.#options.resourcesListHandler !== undefined
        )
      case 'completions':
        return this.#hasCompleters()
    }
  }

  counts(): { tools: number; prompts: number; resources: number; completions: boolean } {
    return {
      tools: this.tools.size,
      prompts: this.prompts.size,
      resources: this.has('resources') ? 1 : 0,
      completions: this.#hasCompleters(),
    }
  }

  #hasCompleters(): boolean {
    return (
      this.prompts.list().some(({ value }) => value.completers.size > 0) ||
      this.templates.list().some(({ value }) => value.definition.complete !== undefined)
    )
  }
}

function nameOf(kind: Kind, given: string | undefined, definition: { name?: string }): string {
  const name = given ?? ownNameOf(definition)
  if (name === undefined) throw new McpError('invalid_definition', `A ${kind} in a list needs a name`)
  return name
}

/** Compiles before anything is changed, so that a bad definition leaves the server as it was. */
function register<Definition extends object, T>(
  registry: Registry<T>,
  key: string,
  definition: Definition,
  compile: (definition: Definition) => T,
): void {
  const entry = registry.add(key, compile(definition))
  let current = definition
  const registration: Registration<Definition> = {
    update(changes) {
      if (!registry.holds(entry)) return
      const next = Object.assign(
        Object.create(Object.getPrototypeOf(current)),
        current,
        changes,
      ) as Definition
      registry.replace(entry, compile(next))
      current = next
    },
    // The name may have been registered again meanwhile: that registration stays.
    remove: () => {
      if (registry.holds(entry)) registry.remove(key)
    },
    enable: () => registry.setEnabled(entry, true),
    disable: () => registry.setEnabled(entry, false),
  }
  entry.registration = registration
}

function each<T>(named: Named<T> | undefined, add: (value: T, name: string | undefined) => void): void {
  const isList = Array.isArray(named)
  for (const [name, item] of Object.entries<T | (new () => T)>(named ?? {})) {
    // A function without a prototype is no class, and no definition.
    const isClass = typeof item === 'function' && item.prototype !== undefined
    add(isClass ? new (item as new () => T)() : (item as T), isList ? undefined : name)
  }
}
