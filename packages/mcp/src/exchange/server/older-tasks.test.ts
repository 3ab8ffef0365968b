import { describe, expect, it } from 'vitest'
import { METHOD_NOT_FOUND, ProtocolError, type JsonObject } from '../../jsonrpc/index.ts'
import { META } from '../../protocol/index.ts'
import { memory } from '../../transport/memory.ts'
import { complete, failure, type Exchange } from '../exchange.ts'
import { withoutOlderTasks } from '../message-hints.ts'
import type { Served } from './answer.ts'

const ENVELOPE = { [META.protocolVersion]: '2026-07-28', [META.clientCapabilities]: {} }
const INITIALIZE = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'c', version: '1' },
}

const REFUSED = failure(new ProtocolError(-32000, 'no'))

/** Asks a server once, and tells what it got. */
async function ask(
  era: 'legacy' | 'modern',
  method: string,
  params: JsonObject,
  facts: Partial<Served> = {},
) {
  const got: Exchange[] = []
  const served: Served = {
    info: { name: 's', version: '1' },
    respond: (exchange) => {
      got.push(exchange)
      const discovery = { supportedVersions: ['2026-07-28', '2025-11-25'], capabilities: { tools: {} } }
      return exchange.method === 'server/discover' ? complete(discovery) : REFUSED
    },
    ...facts,
  }
  const wire = await memory(served).open()
  if (era === 'legacy') {
    await wire.request({ jsonrpc: '2.0', id: 1, method: 'initialize', params: INITIALIZE })
    await wire.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  }
  const _meta = { ...(era === 'modern' && ENVELOPE), ...(params._meta as JsonObject) }
  const response = await wire.request({ jsonrpc: '2.0', id: 2, method, params: { ...params, _meta } })
  await wire.close()
  return { response, params: got.findLast((one) => one.method === method)?.params }
}

const call = { name: 'x', task: { ttl: 1 }, _meta: { [META.relatedTask]: { taskId: 'another' }, kept: 1 } }

describe.each(['legacy', 'modern'] as const)(
  'a server without tasks of 2025-11-25, and a %s client',
  (era) => {
    it('takes a call that asks for a task, or names one, for an ordinary call', async () => {
      const { params } = await ask(era, 'tools/call', call, { withoutOlderTasks })
      expect(params).toEqual({ name: 'x', _meta: expect.objectContaining({ kept: 1 }) })
      expect(params!._meta).not.toHaveProperty([META.relatedTask])
    })

    it('gets other params as they are', async () => {
      const { params } = await ask(era, 'prompts/get', { name: 'x', task: 1 }, { withoutOlderTasks })
      expect(params).toMatchObject({ name: 'x', task: 1 })
    })
  },
)

describe('tasks of 2025-11-25', () => {
  it.each(['tasks/get', 'tasks/cancel', 'tasks/list'])('have no %s without the tasks', async (method) => {
    const { response, params } = await ask('legacy', method, { taskId: 'x' }, { withoutOlderTasks })
    expect(response).toMatchObject({
      error: { code: METHOD_NOT_FOUND, message: `Method not found: ${method}` },
    })
    expect(params).toBeUndefined()
  })

  it('reach a server that may have them', async () => {
    expect((await ask('legacy', 'tasks/get', { taskId: 'x' })).params).toMatchObject({ taskId: 'x' })
    expect((await ask('legacy', 'tools/call', call)).params).toMatchObject({ task: { ttl: 1 } })
  })
})
