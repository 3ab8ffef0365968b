import type { CompileContext } from './compile-context.ts'
import type { ConfigPath } from './problem.ts'
import type { RawConfig } from './raw-config.ts'
import { readSchema } from './schema.ts'

type Properties = { readonly [key: string]: { deprecated?: boolean; description?: string } | undefined }
interface SchemaPart {
  readonly properties: Properties
}

/** Says what becomes of keys that belong to some client: the schema marks them as deprecated. */
export function reportForeignKeys(raw: RawConfig, context: CompileContext): void {
  const schema = readSchema() as unknown as SchemaPart & { $defs: { target: SchemaPart; oauth: SchemaPart } }
  reportIn(raw, schema.properties, [], context)
  for (const section of ['mcpServers', 'servers'] as const) {
    for (const [name, target] of Object.entries(raw[section] ?? {})) {
      reportIn(target, schema.$defs.target.properties, [section, name], context)
      reportIn(target.oauth || {}, schema.$defs.oauth.properties, [section, name, 'oauth'], context)
    }
  }
}

function reportIn(value: object, properties: Properties, path: ConfigPath, context: CompileContext): void {
  for (const key of Object.keys(value)) {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined
    if (!property?.deprecated) continue
    const message = `"${key}": ${property.description?.replaceAll('`', '"')}`
    context.report({ severity: 'warning', code: 'ignored-key', path: [...path, key], part: 'key', message })
  }
}
