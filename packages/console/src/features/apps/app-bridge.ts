import type { JsonObject } from '../../api/contract.ts'
import { isJsonObject, withPlainNumbers } from '../../api/json.ts'

/** What a view may ask of the console (SEP-1865). Everything else is refused. */
export interface AppHost {
  /** The arguments and the result of the call that the view is about. */
  readonly input: JsonObject
  readonly result: JsonObject | undefined
  callTool(name: string, args: JsonObject): Promise<JsonObject>
  openLink(url: string): Promise<void>
  resize(height: number): void
}

interface Message {
  readonly jsonrpc?: unknown
  readonly id?: unknown
  readonly method?: unknown
  readonly params?: unknown
}

const METHOD_NOT_FOUND = -32601
const REFUSED = -32000
const PROTOCOL = '2026-01-26'

/** Speaks with the view in a frame: JSON-RPC in messages of windows. Returns how to stop. */
export function connectApp(frame: HTMLIFrameElement, host: AppHost): () => void {
  const send = (message: JsonObject) =>
    // A document without an origin has no other name. Its JavaScript has doubles only.
    frame.contentWindow?.postMessage(withPlainNumbers({ jsonrpc: '2.0', ...message }), '*')
  const onMessage = ({ source, origin, data }: MessageEvent<Message | undefined>) => {
    // Only the document in this frame, and only while it has no origin: after anything else it is not the view.
    if (source !== frame.contentWindow || origin !== 'null' || data?.jsonrpc !== '2.0') return
    const { id, method } = data
    if (typeof method !== 'string') return
    const params = isJsonObject(data.params) ? data.params : {}
    if (id === undefined) return hear(method, params, host, send)
    answer(method, params, host).then(
      (result) => send({ id, result }),
      (error: unknown) => send({ id, error: toError(error) }),
    )
  }
  window.addEventListener('message', onMessage)
  return () => window.removeEventListener('message', onMessage)
}

function hear(method: string, params: JsonObject, host: AppHost, send: (message: JsonObject) => void): void {
  if (method === 'ui/notifications/size-changed') host.resize(Number(params.height))
  if (method !== 'ui/notifications/initialized') return
  send({ method: 'ui/notifications/tool-input', params: { arguments: host.input } })
  if (host.result) send({ method: 'ui/notifications/tool-result', params: host.result })
}

async function answer(method: string, params: JsonObject, host: AppHost): Promise<JsonObject> {
  switch (method) {
    case 'ui/initialize':
      return {
        protocolVersion: PROTOCOL,
        hostInfo: { name: 'gantry-console', version: '1' },
        hostCapabilities: { serverTools: {}, openLinks: {} },
        hostContext: { displayMode: 'inline', availableDisplayModes: ['inline'], platform: 'web' },
      }
    case 'ping':
      return {}
    case 'tools/call':
      return host.callTool(String(params.name), isJsonObject(params.arguments) ? params.arguments : {})
    case 'ui/open-link':
      await host.openLink(String(params.url))
      return {}
    default:
      throw new MethodNotFound(`The console has no method ${method}`)
  }
}

class MethodNotFound extends Error {}

function toError(error: unknown): JsonObject {
  const message = error instanceof Error ? error.message : 'The console refused it'
  return { code: error instanceof MethodNotFound ? METHOD_NOT_FOUND : REFUSED, message }
}
