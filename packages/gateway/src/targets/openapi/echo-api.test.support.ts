import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ClientFacts, Outcome } from '@gantry/mcp/exchange'
import type { JsonObject } from '@gantry/mcp/server'
import { createOpenApiTarget, type OpenApiTarget } from './open-api-target.ts'
import type { OpenApiTargetOptions } from './options.ts'

/** What the echo API saw, as it answers it. */
export interface Seen {
  method: string
  url: string
  headers: Record<string, string>
  body: string
}

export interface EchoApi extends AsyncDisposable {
  readonly url: string
  readonly seen: Seen[]
  /** Answers instead of the echo, when it returns true. */
  answer: ((request: IncomingMessage, response: ServerResponse, seen: Seen) => boolean) | undefined
}

/** A real HTTP server that answers every request with what it got. */
export async function startEchoApi(): Promise<EchoApi> {
  const seen: Seen[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const one: Seen = {
      method: request.method ?? '',
      url: request.url ?? '',
      headers: Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      ),
      body: Buffer.concat(chunks).toString('latin1'),
    }
    seen.push(one)
    if (api.answer?.(request, response, one)) return
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(one))
  })
  await listen(server)
  const api: EchoApi = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    answer: undefined,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return api
}

async function listen(server: Server): Promise<void> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
}

/** A description with one operation; `operation` is its Operation Object. */
export function describeOne(
  path: string,
  method: string,
  operation: JsonObject,
  rest: JsonObject = {},
): JsonObject {
  return {
    openapi: '3.1.0',
    info: { title: 'Test', version: '1' },
    paths: { [path]: { [method]: { operationId: 'op', responses: {}, ...operation } } },
    ...rest,
  }
}

export interface CallOptions {
  version?: ClientFacts['version']
  headers?: Record<string, string>
  signal?: AbortSignal
}

export async function send(
  target: Pick<OpenApiTarget, 'handle'>,
  method: string,
  params: JsonObject = {},
  options: CallOptions = {},
): Promise<Outcome> {
  return await target.handle({
    method,
    params,
    client: { capabilities: {}, version: options.version ?? '2026-07-28' },
    headers: options.headers,
    signal: options.signal ?? new AbortController().signal,
    notify() {},
  })
}

export interface ToolResult {
  content: { type: string; text?: string; data?: string; mimeType?: string; resource?: JsonObject }[]
  structuredContent?: unknown
  isError?: boolean
  _meta: JsonObject
  text: string
}

export async function call(
  target: Pick<OpenApiTarget, 'handle'>,
  name: string,
  args: JsonObject = {},
  options: CallOptions = {},
): Promise<ToolResult> {
  const outcome = await send(target, 'tools/call', { name, arguments: args }, options)
  if (outcome.type !== 'complete') throw new Error(JSON.stringify(outcome))
  const result = outcome.result as unknown as ToolResult
  return { ...result, text: result.content.map((block) => block.text ?? '').join('\n') }
}

/** Calls the only operation of a description and returns what the API saw. */
export async function callOne(
  api: EchoApi,
  description: JsonObject,
  args: JsonObject,
  options: Partial<OpenApiTargetOptions> = {},
): Promise<Seen> {
  const target = await createOpenApiTarget({ document: description, baseUrl: api.url, ...options })
  const result = await call(target, target.tools[0]!.name, args)
  if (result.isError) throw new Error(result.text)
  return api.seen.at(-1)!
}
