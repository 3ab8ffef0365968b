import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, it } from 'vitest'
import type { NodeClient, RedisHost } from './redis-client.ts'
import { SentinelClient } from './sentinels.ts'

interface Named {
  port: number
  epoch: number
}

/** A server or a Sentinel, without a connection. */
class Scripted extends EventEmitter implements NodeClient {
  named: Named
  readonly #delay: number
  #announce: (() => void) | undefined
  role = 'master'

  constructor(named: Named = { port: 0, epoch: 0 }, delay: number = 0) {
    super()
    this.named = named
    this.#delay = delay
  }

  async connect(): Promise<void> {
    await sleep(this.#delay)
  }

  async sendCommand(): Promise<unknown> {
    return { ip: '10.0.0.1', port: String(this.named.port), 'config-epoch': String(this.named.epoch) }
  }

  async subscribe(_: string, listener: () => void): Promise<void> {
    this.#announce = listener
  }

  /** Names a server from now on, and says so. */
  switch(named: Named): void {
    this.named = named
    this.#announce!()
  }

  info = async (): Promise<string> => `role:${this.role}`
  eval = async (): Promise<unknown> => undefined
  evalSha = this.eval
  destroy(): void {}
}

const open: SentinelClient[] = []
afterEach(async () => {
  for (const client of open.splice(0)) await client.destroy()
})

interface Opened {
  readonly client: SentinelClient
  /** The servers that were connected to. */
  readonly ports: number[]
  readonly errors: string[]
}

function openClient(sentinels: readonly Scripted[], { interval = 60_000, role = 'master' } = {}): Opened {
  const ports: number[] = []
  const errors: string[] = []
  const clientOf = ({ port }: RedisHost): NodeClient => {
    ports.push(port)
    return Object.assign(new Scripted(), { role })
  }
  const client = new SentinelClient({ name: 'main', sentinels, clientOf, interval })
  client.on('error', (error: Error) => errors.push(error.message))
  open.push(client)
  return { client, ports, errors }
}

const OLD = { port: 1, epoch: 4 }
const NEW = { port: 2, epoch: 5 }

it('takes the newest answer, not the first: a Sentinel that is behind names the server of before', async () => {
  const { client, ports, errors } = openClient([new Scripted(OLD), new Scripted(NEW, 50), new Scripted(OLD)])
  await client.connect()
  expect(ports).toEqual([2])
  expect(errors).toEqual([])
})

it('does not wait for Sentinels that do not answer', async () => {
  const silent = new Scripted(NEW, 30_000)
  const { client, ports } = openClient([silent, new Scripted(OLD)])
  const began = performance.now()
  await client.connect()
  expect(performance.now() - began).toBeLessThan(5_000)
  expect(ports).toEqual([1])
})

it('fails as soon as a Sentinel announces another server, and when one that was late names it', async () => {
  const [first, late] = [new Scripted(OLD), new Scripted(NEW, 500)]
  const early = openClient([first, new Scripted(OLD)])
  await early.client.connect()
  first.switch(NEW)
  await expect.poll(() => early.errors).toEqual(['the Sentinels name another server now'])
  const waiting = openClient([new Scripted(OLD), late])
  await waiting.client.connect()
  expect(waiting.ports).toEqual([1])
  await expect.poll(() => waiting.errors).toEqual(['the Sentinels name another server now'])
})

it('asks again what a Sentinel has announced while it could not be reached', async () => {
  const sentinel = new Scripted(OLD)
  const { client, errors } = openClient([sentinel], { interval: 20 })
  await client.connect()
  sentinel.named = NEW
  await expect.poll(() => errors.length).toBeGreaterThan(0)
})

it('stays when one that is behind names the server of before, or the same again with a higher epoch', async () => {
  const [ahead, behind] = [new Scripted(NEW), new Scripted(NEW)]
  const { client, errors } = openClient([ahead, behind])
  await client.connect()
  behind.switch(OLD)
  ahead.switch({ ...NEW, epoch: 9 })
  await sleep(50)
  expect(errors).toEqual([])
})

it('does not take a server that does not write yet', async () => {
  const { client } = openClient([new Scripted(OLD)], { role: 'slave' })
  await expect(client.connect()).rejects.toThrow('the Sentinels name a server that does not write')
})
