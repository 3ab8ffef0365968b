import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { type StdioWire, stdio } from '../entries/client.node.ts'
import { Client, type ClientOptions, EraCache } from '../entries/client.ts'

const script = fileURLToPath(new URL('fixtures/line-server.mjs', import.meta.url))

/** A client of a line server, and the processes that were started for it. */
function lines(kind: string, options: ClientOptions = {}) {
  const inner = stdio({ command: process.execPath, args: [script, kind] })
  const wires: StdioWire[] = []
  const connector = {
    ...inner,
    async open(open?: { signal?: AbortSignal }) {
      const wire = await inner.open(open)
      wires.push(wire)
      return wire
    },
  }
  const client = new Client({ connector, eras: new EraCache(), ...options })
  return { client, wires, isGone: (index: number) => !isAlive(wires[index]?.process.pid ?? 0) }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

describe('stdio client, with real processes', () => {
  it('finds the era on one process, shakes hands in order, and only once', async () => {
    for (const kind of ['legacy', 'modern']) {
      const { client, wires } = lines(kind)
      await using _ = client
      await Promise.all([client.connect(), client.connect(), client.call('echo', { value: 'x' })])
      const received = (await client.call('received')).json()
      expect(received).toEqual(
        kind === 'legacy'
          ? ['server/discover', 'initialize', 'notifications/initialized', 'tools/call', 'tools/call']
          : ['server/discover', 'tools/call', 'tools/call'],
      )
      expect(wires).toHaveLength(1)
    }
  })

  it('a server that dies on the probe is started again, and remembered', async () => {
    const eras = new EraCache()
    const { client, wires, isGone } = lines('dies-on-probe', { eras })
    await client.connect()
    expect(client.era).toBe('legacy')
    expect(wires).toHaveLength(2)
    expect(isGone(0)).toBe(true)
    await client.close()
    expect(isGone(1)).toBe(true)
    await client.connect()
    expect(wires).toHaveLength(3)
    await client.close()
  })

  it('a server that ignores the probe is legacy after a while', async () => {
    const { client } = lines('silent-on-probe', { probeTimeout: 200 })
    await using _ = client
    await client.connect()
    expect(client.era).toBe('legacy')
    expect((await client.call('echo', { value: 'x' })).text()).toBe('x')
  })

  it('a handshake that fails leaves no process behind', async () => {
    for (const [kind, code, connectTimeout] of [
      ['bad-version', 'bad_version', 20_000],
      ['never-answers', 'timeout', 400],
    ] as const) {
      const { client, wires, isGone } = lines(kind, { connectTimeout, probeTimeout: 100 })
      await expect(client.connect()).rejects.toMatchObject({ code })
      expect(client.connected).toBe(false)
      expect(client.serverInfo).toBeUndefined()
      expect(wires.map((_, index) => isGone(index))).toEqual(wires.map(() => true))
    }
  })

  it('noise, unknown ids and second answers disturb nobody', async () => {
    const { client } = lines('legacy')
    await using _ = client
    const logs: unknown[] = []
    client.on('log', ({ data }) => logs.push(data))
    const [noise, echo] = await Promise.all([client.call('noise'), client.call('echo', { value: 'x' })])
    expect(noise.text()).toBe('first')
    expect(echo.text()).toBe('x')
    expect(logs).toEqual(['noise'])
    expect((await client.call('echo', { value: 'y' })).text()).toBe('y')
  })

  it('requests of the server are answered, with −32601 where there is no handler', async () => {
    const { client } = lines('legacy', { roots: [{ uri: 'file:///' }] })
    await using _ = client
    const ask = async (method: string) => (await client.call('ask', { method })).json()
    expect(await ask('roots/list')).toMatchObject({ result: { roots: [{ uri: 'file:///' }] } })
    expect(await ask('sampling/createMessage')).toMatchObject({ error: { code: -32601 } })
    expect(await ask('ping')).toMatchObject({ result: {} })
    expect(await ask('made/up')).toMatchObject({ error: { code: -32601 } })
  })

  it('exit, timeout and failed spawn are distinct, and say what is known', async () => {
    const { client } = lines('legacy')
    await using _ = client
    await expect(client.call('exit')).rejects.toMatchObject({
      code: 'exited',
      message: expect.stringContaining('about to fail'),
      details: { exitCode: 3 },
    })
    await expect(client.call('hang', {}, { timeout: 100 })).rejects.toMatchObject({ code: 'timeout' })
    expect((await client.call('received')).json()).toContain('notifications/cancelled')
    const nowhere = new Client({ connector: stdio({ command: 'no-such-program-here' }) })
    await expect(nowhere.connect()).rejects.toMatchObject({ code: 'spawn_failed' })
  })

  it('an unexpected exit starts the server again on the next request', async () => {
    const { client, wires } = lines('modern')
    await using _ = client
    const first = (await client.call('pid')).text()
    const hanging = client.call('hang')
    const failed = expect(hanging).rejects.toMatchObject({ code: 'exited' })
    process.kill(Number(first), 'SIGKILL')
    await failed
    const second = (await client.call('pid')).text()
    expect(second).not.toBe(first)
    expect(wires).toHaveLength(2)
  })
})
