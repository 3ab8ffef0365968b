import type { JsonObject, StartCall } from '../../api/contract.ts'
import type { Pick } from './drafts.ts'
import { expandTemplate } from './uri-template.ts'
import { isJsonObject } from '../../api/json.ts'

export interface Request {
  readonly method: string
  readonly params: JsonObject
}

/** What to send for an entry and what was typed for it. */
export function toRequest({ kind, name }: Pick, draft: unknown): Request {
  const values = isJsonObject(draft) ? draft : {}
  switch (kind) {
    case 'tool':
      return { method: 'tools/call', params: { name, arguments: values } }
    case 'prompt':
      return { method: 'prompts/get', params: { name, arguments: values } }
    case 'resource':
      return { method: 'resources/read', params: { uri: name } }
    case 'template':
      return { method: 'resources/read', params: { uri: expandTemplate(name, values) } }
    case 'request':
      return { method: name, params: values }
  }
}

/** The way back, for history and links. */
export function fromCall({ method, params }: Omit<StartCall, 'client'>): { pick: Pick; draft: unknown } {
  const name = String(params.name ?? '')
  if (method === 'tools/call') return { pick: { kind: 'tool', name }, draft: params.arguments ?? {} }
  if (method === 'prompts/get') return { pick: { kind: 'prompt', name }, draft: params.arguments ?? {} }
  if (method === 'resources/read')
    return { pick: { kind: 'resource', name: String(params.uri ?? '') }, draft: undefined }
  return { pick: { kind: 'request', name: method }, draft: params }
}
