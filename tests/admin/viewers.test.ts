import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect, http } from '@gantry/mcp/client'
import { Server, tool, ToolError } from '@gantry/mcp/server'
import { ProtocolError } from '@gantry/mcp/exchange'
import { ROUTES, type RouteName } from '../../packages/gateway/src/admin/contract.ts'
import { adminGateway, until, type AdminGateway } from '../support/admin-gateway.ts'
import { serveHttp, type HttpTarget } from '../support/http-targets.ts'

// A viewer sees that calls are made, and nothing of what they carry.

const KEYS = {
  caller: 'key-of-a-caller-0123456789-abcdef',
  viewer: 'key-of-a-viewer-0123456789-abcdef',
  operator: 'key-of-an-operator-0123456789-ab',
}
const CARRIED = [
  'in-arguments',
  'in-a-result',
  'in-a-failed-call',
  'in-an-error',
  'in-a-question',
  'on-stderr',
]

let target: HttpTarget
let gateway: AdminGateway
/** What was read with each key, by route. */
const read: Record<string, Record<string, string>> = { viewer: {}, operator: {} }

beforeAll(async () => {
  const tools = {
    fine: tool({ run: () => 'in-a-result' }),
    failing: tool({ run: () => Promise.reject(new ToolError('in-a-failed-call')) }),
    refusing: tool({ run: () => Promise.reject(new ProtocolError(-32000, 'in-an-error')) }),
    asking: tool({ run: async (_, ctx) => String(await ctx.confirm('in-a-question')) }),
  }
  target = await serveHttp(new Server({ name: 'notes', tools }))
  gateway = await adminGateway({
    mcpServers: {
      notes: { url: target.url },
      broken: {
        command: process.execPath,
        args: ['-e', "console.error(['on','stderr'].join('-')); process.exit(1)"],
      },
    },
    auth: {
      apiKeys: [
        { name: 'caller', key: KEYS.caller },
        { name: 'viewer', key: KEYS.viewer, scopes: ['gantry:viewer'] },
        { name: 'operator', key: KEYS.operator, scopes: ['gantry:operator'] },
      ],
    },
  })
  const roles = ['viewer', 'operator'] as const
  const streams = await Promise.all(roles.map((role) => follow(role)))
  await callEverything()
  await until(async () => {
    const { targets } = await gateway.api.call('targets', {})
    return targets.some((one) => one.name === 'broken' && one.problem !== undefined)
  }, 'The failure')
  for (const role of roles) {
    for (const name of Object.keys(ROUTES) as RouteName[]) await readRoute(role, name)
  }
  await until(() => streams[1]!.text.includes('refusing'), 'The events')
  for (const [at, role] of roles.entries()) {
    streams[at]!.end()
    read[role]!.events = streams[at]!.text
  }
})
afterAll(async () => {
  await gateway?.close()
  await target?.close()
})

async function callEverything(): Promise<void> {
  const headers = { authorization: `Bearer ${KEYS.caller}` }
  const client = await connect(http(`${gateway.url}/mcp`, { headers }), {
    era: 'modern',
    elicit: () => ({ action: 'accept', content: { confirmed: true } }),
  })
  for (const name of ['fine', 'failing', 'refusing', 'asking']) {
    await client.call(`notes_${name}`, { text: 'in-arguments' }).catch(() => {})
  }
  await client.close()
}

async function readRoute(role: 'viewer' | 'operator', name: RouteName): Promise<void> {
  const { method, path, answers } = ROUTES[name]
  if (method !== 'GET' || answers === 'events' || (role === 'viewer' && ROUTES[name].role !== 'viewer'))
    return
  const { records } = await gateway.api.call('wire', {})
  for (const id of path.includes('{id}') ? records.map((one) => String(one.id)) : ['']) {
    const query =
      name === 'why' || name === 'catalogEntry' ? '?name=notes_failing&kind=tool&key=notes_failing' : ''
    const url = path.replace('{name}', 'broken').replace('{id}', id) + query
    const response = await gateway.fetch(url, { token: KEYS[role] })
    read[role]![name] = `${read[role]![name] ?? ''}${await response.text()}`
  }
}

async function follow(role: 'viewer' | 'operator'): Promise<{ text: string; end(): void }> {
  const ended = new AbortController()
  const topics = role === 'viewer' ? '' : '?topics=wire,stats,log'
  const response = await gateway.fetch(`/api/events${topics}`, { token: KEYS[role], signal: ended.signal })
  const stream = { text: '', end: () => ended.abort() }
  const decoder = new TextDecoder()
  void (async () => {
    for await (const piece of response.body!) stream.text += decoder.decode(piece, { stream: true })
  })().catch(() => {})
  await until(() => stream.text.includes('hello'), 'The stream')
  return stream
}

describe('what calls carried', () => {
  it('was there to be seen by an operator', () => {
    const all = Object.values(read.operator!).join('\n')
    expect(CARRIED.filter((words) => !all.includes(words))).toEqual([])
  })

  it('is in nothing that a viewer can read', () => {
    const seen = Object.entries(read.viewer!).flatMap(([route, text]) =>
      CARRIED.filter((words) => text.includes(words)).map((words) => `${route}: ${words}`),
    )
    expect(seen).toEqual([])
    expect(read.viewer!.wire).toContain('notes_failing')
    expect(read.viewer!.events).toContain('notes_refusing')
  })

  it('cannot be found out by a filter', async () => {
    const count = async (filter: string): Promise<number> => {
      const response = await gateway.fetch(`/api/wire?filter=${encodeURIComponent(filter)}`, {
        token: KEYS.viewer,
      })
      return ((await response.json()) as { records: unknown[] }).records.length
    }
    expect(await count('refusing')).toBe(1)
    expect(await count('in-an-error')).toBe(0)
    expect(await count('error:in-an-error')).toBe(0)
  })
})
