import { McpError } from '../../jsonrpc/index.ts'
import type { Resource as ResourceInfo, ResourceTemplate as TemplateInfo } from '../../protocol/index.ts'
import { toBase64 } from '../../protocol/encoding.ts'
import type { ByteSource } from '../../protocol/late-bytes.ts'
import type { ResourceDefinition, ResourceFacts, AnyTemplate } from '../definitions/definitions.ts'
import { requireUri, requireUriTemplate } from './check-definition.ts'
import { requireOptions } from './check-options.ts'
import { UriTemplate } from '../definitions/uri-template.ts'

export interface CompiledResource {
  readonly uri: string
  readonly definition: ResourceDefinition
  readonly info: ResourceInfo
  readonly blob: string | ByteSource | undefined
}

export interface CompiledTemplate {
  readonly definition: AnyTemplate
  readonly info: TemplateInfo
  readonly template: UriTemplate
}

export function compileResource(definition: ResourceDefinition, name: string | undefined): CompiledResource {
  const { uri } = definition
  requireUri(uri)
  requireOptions('resource', uri, definition)
  const ways = [definition.text, definition.blob, definition.read].filter((way) => way !== undefined)
  if (ways.length !== 1) {
    throw new McpError('invalid_definition', `The resource "${uri}" needs one of text, blob and read`)
  }
  const info = { uri, name: name ?? definition.name ?? nameFromUri(uri), ...facts(definition) }
  const { blob } = definition
  return { uri, definition, info, blob: blob instanceof Uint8Array ? toBase64(blob) : blob }
}

export function compileTemplate(definition: AnyTemplate, name: string | undefined): CompiledTemplate {
  requireUriTemplate(definition.uriTemplate)
  const template = new UriTemplate(definition.uriTemplate)
  requireOptions('template', definition.uriTemplate, definition)
  if (typeof definition.read !== 'function') {
    throw new McpError('invalid_definition', `The template "${definition.uriTemplate}" has no read function`)
  }
  for (const variable of Object.keys(definition.complete ?? {})) {
    if (!template.variables.includes(variable)) {
      throw new McpError(
        'invalid_definition',
        `The template "${definition.uriTemplate}" completes "${variable}", which it does not have`,
      )
    }
  }
  const info: TemplateInfo = {
    uriTemplate: definition.uriTemplate,
    name: name ?? definition.name ?? nameFromUri(definition.uriTemplate),
    ...facts(definition),
  }
  return { definition, info, template }
}

/** The last readable part of the URI: `file:///a/report.txt` → `report.txt`. */
function nameFromUri(uri: string): string {
  const parts = uri
    .replaceAll(/\{[^}]*\}/g, '')
    .split(/[/?#:]/)
    .filter((part) => part !== '')
  return parts.at(-1) ?? uri
}

function facts(definition: ResourceFacts): Omit<ResourceInfo, 'uri' | 'name'> {
  const { title, description, mimeType, annotations, size, icons, _meta } = definition
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(mimeType !== undefined && { mimeType }),
    ...(annotations && { annotations }),
    ...(size !== undefined && { size }),
    ...(icons && { icons }),
    ...(_meta && { _meta }),
  }
}
