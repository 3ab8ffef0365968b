import { afterEach, describe, expect, it } from 'vitest'
import type { McpError } from '../../jsonrpc/index.ts'
import { fixture, survivors, uniqueToken, untilSurvivors } from '../fixtures/survivors.test.node.ts'
import type { StdioShutdown, StdioWire } from '../process/stdio-options.ts'
import { stdio } from './client.node.ts'

const SERVER = fixture('line-server.mjs')
const STUBBORN = fixture('stubborn.mjs')
const QUICK: StdioShutdown = { end: 150, term: 150 }
const opened: StdioWire[] = []

async function open(command: string, args: string[], shutdown?: StdioShutdown): Promise<StdioWire> {
  const wire = await stdio(command, args, { shutdown }).open()
  opened.push(wire)
  return wire
}

function request(wire: StdioWire, method: string, params = {}): Promise<unknown> {
  return wire.request({ jsonrpc: '2.0', id: method, method, params })
}

async function timeToClose(wire: StdioWire): Promise<number> {
  const start = performance.now()
  await wire.close()
  return performance.now() - start
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((wire) => wire.close()))
})

describe('stdio: shutdown', () => {
  it('every open() starts a process of its own, also after close()', async () => {
    const token = uniqueToken()
    const connector = stdio(process.execPath, [SERVER, token])
    const [first, second] = await Promise.all([connector.open(), connector.open()])
    expect(first.process.pid).not.toBe(second.process.pid)
    await request(first, 'echo')
    await request(second, 'echo')
    await first.close()
    await request(second, 'echo')
    await second.close()
    expect(survivors(token)).toEqual([])
    const third = await connector.open()
    await request(third, 'echo')
    await third.close()
    expect(survivors(token)).toEqual([])
  })

  it('close() rejects what is pending and tells onClose once, without a reason', async () => {
    const wire = await open(process.execPath, [SERVER])
    const reasons: unknown[] = []
    wire.onClose = (reason) => reasons.push(reason)
    const pending = request(wire, 'silent').catch((error: McpError) => error)
    const sent = wire.send({ jsonrpc: '2.0', method: 'silent' })
    await sent
    const closing = [wire.close(), wire.close()]
    expect(closing[0]).toBe(closing[1])
    expect(await pending).toMatchObject({ code: 'closed' })
    await Promise.all(closing)
    await wire.close()
    expect(reasons).toEqual([undefined])
    await expect(request(wire, 'echo')).rejects.toMatchObject({ code: 'closed', details: { exitCode: 0 } })
    await expect(wire.send({ jsonrpc: '2.0', method: 'x' })).rejects.toMatchObject({ code: 'closed' })
  })

  it('what was sent before close() still reaches the server', async () => {
    const wire = await open('/bin/sh', ['-c', 'cat >&2'])
    const sent = wire.send({ jsonrpc: '2.0', method: 'goodbye' })
    await wire.close()
    await sent
    expect(wire.process.stderrTail()).toEqual(['{"jsonrpc":"2.0","method":"goodbye"}'])
  })

  it('a server that ends with its input is not waited for', async () => {
    const wire = await open(process.execPath, [SERVER], { end: 60_000, term: 60_000 })
    await request(wire, 'echo')
    expect(await timeToClose(wire)).toBeLessThan(60_000)
  })

  it('SIGTERM after two seconds, SIGKILL after two more', async () => {
    const polite = await open(process.execPath, [SERVER, '--ignore-end'])
    const stubborn = await open(process.execPath, [SERVER, '--ignore-end', '--ignore-term'])
    await Promise.all([request(polite, 'echo'), request(stubborn, 'echo')])
    const [politeTime, stubbornTime] = await Promise.all([timeToClose(polite), timeToClose(stubborn)])
    expect(politeTime).toBeGreaterThanOrEqual(1990)
    expect(stubbornTime).toBeGreaterThanOrEqual(3990)
    await expect(request(polite, 'echo')).rejects.toMatchObject({ details: { signal: 'SIGTERM' } })
    await expect(request(stubborn, 'echo')).rejects.toMatchObject({ details: { signal: 'SIGKILL' } })
  })

  it('ends the whole tree, with background jobs that ignore SIGTERM', async () => {
    const token = uniqueToken()
    const command = `"$0" "$1" "$2" & "$0" "$1" "$2" & "$0" "$1" "$2"; wait`
    const wire = await open('/bin/sh', ['-c', command, process.execPath, STUBBORN, token], QUICK)
    await untilSurvivors(token, 4)
    await wire.close()
    expect(survivors(token)).toEqual([])
  })

  it('ends a process that has left the group, whose parent goes at the first word', async () => {
    const token = uniqueToken()
    const wire = await open(process.execPath, [SERVER, token], QUICK)
    await request(wire, 'fork', { detached: true })
    await request(wire, 'echo')
    expect(survivors(token)).toHaveLength(2)
    await wire.close()
    expect(survivors(token)).toEqual([])
  })

  it('what a server that was killed leaves behind in its group is ended', async () => {
    const token = uniqueToken()
    const wire = await open(process.execPath, [SERVER, token], QUICK)
    await request(wire, 'fork', { detached: false })
    process.kill(wire.process.pid, 'SIGKILL')
    await untilSurvivors(token, 0)
  })

  it('what a server that was killed leaves behind elsewhere is ended if it has been seen', async () => {
    const token = uniqueToken()
    const wire = await open(process.execPath, [SERVER, token], QUICK)
    await request(wire, 'fork', { detached: true })
    expect(await wire.process.tree()).toHaveLength(2)
    process.kill(wire.process.pid, 'SIGKILL')
    await untilSurvivors(token, 0)
  })

  it('closing while the server exits by itself, and closing at once, leave nothing', async () => {
    const token = uniqueToken()
    const atOnce = await open(process.execPath, [SERVER, token])
    await atOnce.close()
    const crossing = await open(process.execPath, [SERVER, token])
    await request(crossing, 'echo')
    const exit = request(crossing, 'exit', { code: 1 }).catch((error: McpError) => error.code)
    process.kill(crossing.process.pid, 'SIGKILL')
    await crossing.close()
    expect(await exit).toBe('closed')
    expect(survivors(token)).toEqual([])
  })
})
