import type { Context } from '../questions/context.ts'
import type {
  AnyTemplate,
  AnyTool,
  PromptDefinition,
  ResourceDefinition,
  TemplateDefinition,
} from './definitions.ts'

// The class forms have every option of the plain forms. Interfaces merge with the classes, so that no option is written
// twice, and so that a class has no member before its author gives it one.

export interface ToolBase extends Omit<AnyTool, 'run'> {}
export interface PromptBase extends Omit<PromptDefinition, 'run' | 'input' | '~types'> {}
export interface ResourceBase extends Omit<ResourceDefinition, 'uri'> {}
export interface TemplateBase extends Omit<TemplateDefinition, 'uriTemplate' | 'read'> {}

/**
 * The class form of a tool. Without a `name` it gets its class's name in snake_case.
 *
 * ```ts
 * class AddNumbers extends ToolBase {
 *   description = 'Adds two numbers'
 *   input = z.object({ a: z.number(), b: z.number() })
 *   run({ a, b }: { a: number; b: number }) {
 *     return String(a + b)
 *   }
 * }
 * ```
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: all merged members are optional
export abstract class ToolBase {
  abstract run(args: never, context: Context): unknown
}

/** The class form of a prompt. */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: all merged members are optional
export abstract class PromptBase {
  abstract run(args: never, context: Context): ReturnType<PromptDefinition['run']>
}

/** The class form of a resource. */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: all merged members are optional
export abstract class ResourceBase {
  abstract uri: string
}

/** The class form of a resource template. */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: all merged members are optional
export abstract class TemplateBase {
  abstract uriTemplate: string
  abstract read(
    variables: never,
    context: Context & { readonly uri: string },
  ): ReturnType<AnyTemplate['read']>
}

/** `AddNumbers` → `add_numbers`, `HTTPFetch` → `http_fetch`. */
export function snakeCase(name: string): string {
  return name
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
}

/** Undefined for plain objects: only instances of a named class lend their name. */
export function classNameOf(value: object): string | undefined {
  const maker = value.constructor
  return typeof maker === 'function' && maker !== Object && maker.name ? snakeCase(maker.name) : undefined
}
