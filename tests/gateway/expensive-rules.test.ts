import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { Server, tool } from '@gantry/mcp/server'
import { modernRequest } from '../support/raw-client.ts'
import { testGateway, type TestGateway } from '../support/start-gateway.ts'

/** A list of 280 takes 78,000 steps of the 500,000 that one request has. */
const LOOP = 'args.l.all(a, args.l.all(b, a >= 0 && b >= 0))'
const rows = (length: number): number[] => Array.from({ length }, (_, at) => at)

const seen: unknown[] = []
const input = { type: 'object', properties: { l: {}, s: {}, team: {}, desk: {} } } as const
const app = new Server({
  name: 'a',
  tools: {
    work: tool({
      input,
      run: (args) => {
        seen.push(args)
        return 'done'
      },
    }),
  },
})
const CONFIG = {
  mcpServers: { a: { module: 'a' } },
  policy: { rules: [1, 2, 3].map((at) => ({ name: `loop ${at}`, deny: ['a/work'], when: `!(${LOOP})` })) },
  views: {
    desk: {
      use: ['a/*'],
      tools: {
        'a/work': {
          parameters: {
            team: { fixed: { expression: `${LOOP} ? "blue" : "red"` } },
            desk: { fixed: { expression: `${LOOP} ? 1 : 2` } },
          },
        },
      },
    },
  },
  limits: {
    rates: [
      {
        name: 'rows',
        by: `${LOOP} ? "few" : "many"`,
        cost: { expression: `${LOOP} ? 1 : 2` },
        rate: '1000/s',
      },
    ],
  },
}

interface Line {
  readonly event?: string
}
const log: string[] = []
const events = (): Line[] =>
  log
    .flatMap((text) => text.trim().split('\n'))
    .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Line] : []))
const overspent = (): Line[] => events().filter(({ event }) => event === 'expressions-too-long')

let gateway: TestGateway
beforeAll(async () => {
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => log.push(String(text)) > 0)
  gateway = await testGateway(CONFIG, {
    embedded: new Map([['a', app]]),
    logLevel: 'info',
    logFormat: 'json',
  })
})
afterAll(async () => {
  await gateway.close()
  vi.restoreAllMocks()
})
afterEach(() => {
  log.length = 0
  seen.length = 0
})

const call = async (path: string, name: string, args: object): Promise<string> => {
  const params = { name, arguments: args } as Record<string, unknown>
  const answer = await modernRequest(`${gateway.url}${path}`, 'tools/call', params, {
    headers: { 'mcp-name': name },
  })
  return JSON.stringify(answer)
}

describe('rules, views and limits that loop over arguments', () => {
  it('work as long as one request can pay for all of them', async () => {
    expect(await call('/mcp', 'a_work', { l: rows(280) })).toContain('done')
    expect(await call('/mcp/desk', 'a_work', { l: rows(200) })).toContain('done')
    expect(seen).toEqual([{ l: rows(280) }, { l: rows(200), team: 'blue', desk: 1 }])
    expect(overspent()).toEqual([])
  })

  it('refuse a call for which they take too long together, and say so once', async () => {
    const answer = await call('/mcp/desk', 'a_work', { l: rows(280) })
    expect(answer).toContain('"error"')
    expect(seen).toEqual([])
    expect(overspent()).toEqual([
      expect.objectContaining({ level: 'warn', target: 'a', method: 'tools/call', name: 'a_work' }),
    ])
    expect(await call('/mcp/desk', 'a_work', { l: rows(200) })).toContain('done')
  })

  it('refuse ten megabytes of arguments in bounded time', async () => {
    const before = process.cpuUsage().user
    const answer = await call('/mcp', 'a_work', {
      l: Array.from({ length: 9_000 }, (_, at) => at),
      s: 'x'.repeat(10_000_000),
    })
    expect(answer).toContain('"error"')
    expect(seen).toEqual([])
    // Reading, parsing and recording ten megabytes are a part of it.
    expect((process.cpuUsage().user - before) / 1000).toBeLessThan(5_000)
  })
})
