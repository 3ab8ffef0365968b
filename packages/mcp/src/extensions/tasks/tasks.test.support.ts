import { ProtocolError, type JsonObject } from '../../jsonrpc/index.ts'
import { META, type ElicitResult } from '../../protocol/index.ts'
import { type AuthInfo, tool, ToolError, type Server, type ToolDefinition } from '../../server/index.ts'
import { TASKS_EXTENSION, type DetailedTask } from './index.ts'

export const DECLARED: JsonObject = { elicitation: {}, extensions: { [TASKS_EXTENSION]: {} } }

export interface Asking {
  capabilities?: JsonObject
  principal?: string
}

export interface Answer {
  result: JsonObject & Partial<DetailedTask>
  error?: { code: number; message: string; data?: unknown }
}

export function authOf(subject: string): AuthInfo {
  return { principal: { kind: 'person', subject }, scopes: [], claims: {} }
}

let lastId = 0

/** One modern request to a server, as a client on the wire makes it. */
export async function ask(
  app: Server,
  method: string,
  params: JsonObject = {},
  { capabilities = DECLARED, principal }: Asking = {},
): Promise<Answer> {
  const _meta = { [META.protocolVersion]: '2026-07-28', [META.clientCapabilities]: capabilities }
  const message = { jsonrpc: '2.0', id: ++lastId, method, params: { ...params, _meta } }
  const auth = principal === undefined ? undefined : authOf(principal)
  return (await app.handle(message, { auth })) as unknown as Answer
}

export function call(app: Server, name: string, asking?: Asking, args?: JsonObject): Promise<Answer> {
  return ask(app, 'tools/call', args ? { name, arguments: args } : { name }, asking)
}

/** Calls a tool that becomes a task, and returns the task's id. */
export async function start(app: Server, name: string, asking?: Asking): Promise<string> {
  const { result, error } = await call(app, name, asking)
  if (result?.resultType !== 'task') throw new Error(`not a task: ${JSON.stringify(result ?? error)}`)
  return result.taskId as string
}

export async function get(app: Server, taskId: string, asking?: Asking): Promise<Answer['result']> {
  const { result, error } = await ask(app, 'tasks/get', { taskId }, asking)
  if (error) throw new Error(error.message)
  return result
}

/** Asks until the task is in this state. */
export async function reach(
  app: Server,
  taskId: string,
  status: string,
  asking?: Asking,
): Promise<Answer['result']> {
  for (;;) {
    const task = await get(app, taskId, asking)
    if (task.status === status) return task
    if (['completed', 'failed', 'cancelled'].includes(String(task.status))) {
      throw new Error(`it ended: ${JSON.stringify(task)}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

export const textOf = (result: unknown): string | undefined =>
  (result as { content: { text?: string }[] } | undefined)?.content[0]?.text

/** A promise that a test settles when it wants to. */
export function gate<T = void>(): { opened: Promise<T>; open: (value: T) => void } {
  let open: (value: T) => void = () => {}
  const opened = new Promise<T>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

export const NAME: JsonObject = {
  type: 'object',
  properties: { name: { type: 'string' } },
  required: ['name'],
}

/** A user who is called Ann and agrees with everything. */
export const elicit = ({ message }: { message: string }): ElicitResult =>
  message === 'Name?' ? { action: 'accept', content: { name: 'Ann' } } : { action: 'accept' }

/** Tools that come to no good end, and how often one was aborted. */
export function unhappyTools(): { tools: Record<string, ToolDefinition>; aborted: () => number } {
  let aborted = 0
  const tools = {
    forever: tool({
      task: 'optional',
      run: (_, ctx) =>
        new Promise((_resolve, reject) =>
          ctx.signal.addEventListener('abort', () => {
            aborted++
            reject(new Error('aborted'))
          }),
        ),
    }),
    tool_error: tool({ task: 'optional', run: () => Promise.reject(new ToolError('no ink')) }),
    broken: tool({
      task: 'optional',
      run: () => Promise.reject(new ProtocolError(-32000, 'no such thing')),
    }),
  }
  return { tools, aborted: () => aborted }
}
