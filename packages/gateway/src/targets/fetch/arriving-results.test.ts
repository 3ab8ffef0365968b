import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { http } from '@gantry/mcp/client'
import { stdio } from '@gantry/mcp/client/node'
import { describe, expect, it } from 'vitest'
import { ArrivingResults } from './arriving-results.ts'
import { createPooledFetch } from './pooled-fetch.ts'

const MB = 1024 * 1024
/** Slow machines must not run into the stall rule. */
const PATIENT = { stallTimeout: 600_000 }
const SILENT = { go: () => {}, stalled: () => {} }

describe('ArrivingResults', () => {
  const went: string[] = []
  const open = (arriving: ArrivingResults, name: string, origin: string) =>
    arriving.of(origin).open({ go: () => went.push(name), stalled: () => went.push(`${name} stalled`) })

  it('lets others pass one whose target has its share, and gives room in the order of coming', () => {
    went.length = 0
    const arriving = new ArrivingResults({ perCaller: 10 * MB, total: 20 * MB }, PATIENT)
    const first = open(arriving, 'first', 'a')
    const second = open(arriving, 'second', 'a')
    const other = open(arriving, 'other', 'b')
    expect([first.grows(10 * MB), second.grows(10 * MB), other.grows(8 * MB)]).toEqual([true, false, true])
    const large = open(arriving, 'large', 'c')
    const small = open(arriving, 'small', 'd')
    expect([large.grows(10 * MB), small.grows(MB), small.grows(1.5 * MB)]).toEqual([false, true, true])
    first.ends()
    first.ends()
    expect([went, arriving.held]).toEqual([['second'], 20 * MB])
    other.ends()
    second.ends()
    expect([went, arriving.held]).toEqual([['second', 'large'], 12 * MB])
  })

  it('counts what answers a caller for that caller, at whichever target', () => {
    went.length = 0
    const arriving = new ArrivingResults({ perCaller: 10 * MB, total: 20 * MB }, PATIENT)
    const callOf = (subject: string): object => ({ auth: { principal: { kind: 'key', subject } } })
    const openFor = (caller: string, target: string) =>
      arriving
        .of(target)
        .open({ go: () => went.push(`${caller} ${target}`), stalled: () => {} }, callOf(caller))
    const greedy = ['a', 'b', 'c'].map((target) => openFor('greedy', target))
    expect(greedy.map((message) => message.grows(10 * MB))).toEqual([true, false, false])
    const modest = openFor('modest', 'a')
    expect(modest.grows(10 * MB)).toBe(true)
    modest.ends()
    greedy[0]!.ends()
    expect(went).toEqual(['greedy b'])
  })

  it('lets the oldest go on past the limits, of all and of its target, so that none waits for ever', () => {
    went.length = 0
    const arriving = new ArrivingResults({ perCaller: 10 * MB, total: 16 * MB }, PATIENT)
    const [a1, a2, b] = [open(arriving, 'a1', 'a'), open(arriving, 'a2', 'a'), open(arriving, 'b', 'b')]
    expect([a1.grows(6 * MB), a2.grows(4 * MB), b.grows(4 * MB)]).toEqual([true, true, true])
    expect([a2.grows(8 * MB), b.grows(8 * MB), a1.grows(10 * MB)]).toEqual([false, false, true])
    a1.ends()
    expect([went, arriving.held]).toEqual([['a2', 'b'], 16 * MB])
    const c = open(arriving, 'c', 'b')
    expect(c.grows(10 * MB)).toBe(false)
    c.ends()
    a2.ends()
    b.ends()
    expect(arriving.held).toBe(0)
  })

  it('takes the room of one that comes no further, sooner when others need it, and not of one that waits', async () => {
    const events: string[] = []
    const told: string[] = []
    const arriving = new ArrivingResults(
      { perCaller: 10 * MB, total: 10 * MB },
      { stallTimeout: 600, onStalled: (target, error) => told.push(`${target}: ${error.code}`) },
    )
    const begin = (name: string) =>
      arriving.of(name).open({ go: () => events.push(name), stalled: () => events.push(`${name} stalled`) })
    const half = begin('half')
    // It announces all of itself and then hardly sends any.
    expect(half.grows(MB, 10 * MB)).toBe(true)
    const drip = setInterval(() => half.grows(MB + 10, 10 * MB), 20)
    const other = begin('other')
    const begun = performance.now()
    expect(other.grows(2 * MB, 2 * MB)).toBe(false)
    await expect.poll(() => events).toEqual(['other', 'half stalled'])
    clearInterval(drip)
    expect(arriving.held).toBe(2 * MB)
    expect(told).toEqual(['half: stalled'])
    expect(performance.now() - begun).toBeGreaterThanOrEqual(100)
    // Nobody needs its room now: it gets all of its time, and what moves keeps its room.
    const moving = begin('moving')
    let bytes = MB
    const move = setInterval(() => {
      bytes += 64 * 1024
      moving.grows(bytes, 4 * MB)
    }, 20)
    await expect.poll(() => events).toContain('other stalled')
    expect(performance.now() - begun).toBeGreaterThanOrEqual(600)
    expect(events).not.toContain('moving stalled')
    clearInterval(move)
    moving.ends()
    expect(arriving.held).toBe(0)
  })
})

describe('long answers over HTTP', () => {
  it.each([true, false])('wait at their server for their places (with a length: %s)', async (hasLength) => {
    const body = Buffer.alloc(4 * MB, 'x')
    const responses: ServerResponse[] = []
    const server = createServer((_request, response) => {
      responses.push(response)
      response.writeHead(200, hasLength ? { 'content-length': body.length } : {}).end(body)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const arriving = new ArrivingResults({ perCaller: 6 * MB, total: 6 * MB }, PATIENT)
    const fetch = createPooledFetch(arriving)
    const blocker = arriving.of('another').open(SILENT)
    blocker.grows(6 * MB)
    let done = 0
    const answers = Array.from({ length: 3 }, async () => {
      const { length } = await (await fetch(url, { method: 'GET' })).text()
      done++
      return length
    })
    await expect.poll(() => responses.length).toBe(3)
    // What is short comes all the same.
    expect([done, arriving.held]).toEqual([0, 6 * MB])
    blocker.ends()
    expect(await Promise.all(answers)).toEqual([body.length, body.length, body.length])
    expect(arriving.held).toBe(0)
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })

  it('as events wait as well', async () => {
    const event = `data: ${JSON.stringify({ jsonrpc: '2.0', id: 1, result: { text: 'x'.repeat(4 * MB) } })}\n\n`
    let asked = 0
    const server = createServer((_request, response) => {
      asked++
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`: hello\n\n${event}`)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const arriving = new ArrivingResults({ perCaller: 6 * MB, total: 6 * MB }, PATIENT)
    const blocker = arriving.of('another').open(SILENT)
    blocker.grows(6 * MB)
    let done = 0
    const answers = Array.from({ length: 3 }, async () => {
      const wire = await http(url, { fetch: createPooledFetch(arriving), arrivals: arriving.of(url) }).open()
      await wire.request({ jsonrpc: '2.0', id: 1, method: 'tools/call' })
      done++
      await wire.close()
    })
    await expect.poll(() => asked).toBe(3)
    await expect.poll(() => arriving.waiting).toBe(3)
    expect([done, arriving.held]).toEqual([0, 6 * MB])
    blocker.ends()
    await Promise.all(answers)
    await expect.poll(() => arriving.held).toBe(0)
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
})

describe('long lines of programs', () => {
  const PROGRAM = `process.stdin.once('data', () => {
    process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { text: 'x'.repeat(4 * 1024 * 1024) } }) + '\\n')
  })`
  const shutdown = { end: 100, term: 100 }
  const openProgram = (arriving: ArrivingResults) =>
    stdio({ command: process.execPath, args: ['-e', PROGRAM], arrivals: arriving.of('a'), shutdown }).open()

  it('wait in their pipes for room', async () => {
    const arriving = new ArrivingResults({ perCaller: 6 * MB, total: 6 * MB }, PATIENT)
    const blocker = arriving.of('another').open(SILENT)
    blocker.grows(6 * MB)
    const wires = await Promise.all([1, 2, 3].map(() => openProgram(arriving)))
    let done = 0
    const answers = wires.map((wire) =>
      wire.request({ jsonrpc: '2.0', id: 1, method: 'tools/call' }).then(() => done++),
    )
    await expect.poll(() => arriving.waiting).toBe(3)
    expect([done, arriving.held]).toEqual([0, 6 * MB])
    blocker.ends()
    await Promise.all(answers)
    expect(arriving.held).toBe(0)
    await Promise.all(wires.map((wire) => wire.close()))
  })

  it('give their room back when the program is ended meanwhile', async () => {
    const arriving = new ArrivingResults({ perCaller: 6 * MB, total: 6 * MB }, PATIENT)
    const blocker = arriving.of('another').open(SILENT)
    blocker.grows(5 * MB)
    const wire = await openProgram(arriving)
    const answer = wire.request({ jsonrpc: '2.0', id: 1, method: 'tools/call' }).catch((error) => error.code)
    await expect.poll(() => arriving.waiting).toBe(1)
    await wire.close()
    expect(await answer).toBe('closed')
    expect([arriving.waiting, arriving.held]).toEqual([0, 5 * MB])
  })
})
