import { once } from 'node:events'
import { appendFile, readdir, rename, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type AuditModel, Secret } from '../../model/index.ts'
import { openTrail } from '../open-trail.ts'
import { newChain, segmentOf } from '../segments.ts'
import { expectEvents, linesIn, testFolder } from '../trail.test.support.ts'
import { callEvent, SETTINGS } from '../trail-parts.test.support.ts'
import { Shipper } from './shipper.ts'

interface Receiver {
  readonly url: string
  readonly bodies: Buffer[]
  readonly requests: IncomingMessage[]
  status: number
}

async function receiver(): Promise<Receiver> {
  const server: Server = createServer(async (request, response) => {
    const body = await buffer(request)
    if (found.status === 200) {
      found.bodies.push(body)
      found.requests.push(request)
    }
    response.writeHead(found.status).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`
  const found: Receiver = { url, bodies: [], requests: [], status: 200 }
  return found
}

function open(stateDir: string, settings: Partial<AuditModel>, log: string[] = []) {
  return openTrail({
    settings: { ...SETTINGS, folder: join(stateDir, 'audit'), ...settings },
    stateDir,
    product: { name: 'gantry', version: '1' },
    clean: (text) => text,
    log: (level, message) => void log.push(`${level} ${message}`),
  })
}

const headers = { authorization: new Secret('Bearer to-the-receiver') }

describe('a receiver of CloudEvents', () => {
  const eventsOf = ({ bodies }: Receiver): { id: string; data: object }[] =>
    bodies.flatMap((body) => JSON.parse(body.toString('utf8')))

  it('gets every event in its order, as it was written', async () => {
    const folder = testFolder()
    const to = await receiver()
    const { trail, close } = await open(folder, { http: { url: to.url, headers } })
    for (let number = 1; number <= 1200; number++) trail.add(callEvent(number))
    await close()
    const events = eventsOf(to)
    const lines = await linesIn(folder)
    expect(events.map(({ data }) => JSON.stringify(data))).toEqual(lines)
    expect(events[1]).toMatchObject({
      specversion: '1.0',
      id: `${trail.chain}-2`,
      source: '/gantry/gantry',
      type: 'gantry.audit.tools.call',
      subject: 'notes/publish',
      datacontenttype: 'application/json',
    })
    expect(to.requests[0]!.headers).toMatchObject({
      authorization: 'Bearer to-the-receiver',
      'content-type': 'application/cloudevents-batch+json; charset=utf-8',
    })
  })

  it('gets what it did not take when it works again, and after a restart', async () => {
    const folder = testFolder()
    const to = await receiver()
    to.status = 503
    const log: string[] = []
    const first = await open(folder, { http: { url: to.url, headers } }, log)
    for (let number = 1; number <= 10; number++) first.trail.add(callEvent(number))
    await expect.poll(() => log.join()).toContain('it answered with status 503')
    await first.close()
    expect(to.bodies).toEqual([])
    // As if another process had written it, and were gone.
    const gone = first.trail.chain.replace(`-${process.pid}-`, '-4194305-')
    for (const name of await readdir(join(folder, 'audit'))) {
      const renamed = name.replace(first.trail.chain, gone)
      await rename(join(folder, 'audit', name), join(folder, 'audit', renamed))
    }
    to.status = 200
    const second = await open(folder, { http: { url: to.url, headers } })
    await expect.poll(() => eventsOf(to)).toHaveLength(13)
    await second.close()
    const chains = new Set(eventsOf(to).map(({ id }) => id.replace(/-\d+$/, '')))
    expect(chains).toEqual(new Set([first.trail.chain, second.trail.chain]))
    // What was taken over and sent is not sent again.
    to.bodies.length = 0
    await (await open(folder, { http: { url: to.url, headers } })).close()
    expect(eventsOf(to)).toHaveLength(2)
  })
})

it('sends what is written while it is closed', async () => {
  const folder = testFolder()
  const chain = newChain()
  const { file } = segmentOf(folder, chain, 1)
  await writeFile(file, 'one\n')
  const sent: string[] = []
  let closed: Promise<void> | undefined
  const shipper = new Shipper({
    folder,
    chain,
    name: 'test',
    send: async (lines) => {
      sent.push(...lines)
      if (closed) return
      // The file was read to its end already.
      await appendFile(file, 'two\n')
      closed = shipper.close()
    },
  })
  shipper.start()
  await expect.poll(() => closed !== undefined).toBe(true)
  await closed
  expect(sent).toEqual(['one', 'two'])
})

it('a collector of OpenTelemetry gets events as log records', async () => {
  const folder = testFolder()
  const to = await receiver()
  const { trail, close } = await open(folder, { otlp: { url: to.url, headers } })
  for (let number = 1; number <= 30; number++) trail.add(callEvent(number))
  await close()
  expect(to.requests[0]!.headers).toMatchObject({
    authorization: 'Bearer to-the-receiver',
    'content-type': 'application/x-protobuf',
  })
  const text = Buffer.concat(to.bodies).toString('utf8')
  const lines = await linesIn(folder)
  expectEvents(lines)
  for (const line of lines) expect(text).toContain(line)
})

it('prints events on standard output where that is wanted', async () => {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  onTestFinished(() => write.mockRestore())
  const folder = testFolder()
  const { trail, close } = await open(folder, { stdout: true })
  trail.add(callEvent(1))
  await close()
  const printed = write.mock.calls.map(([text]) => String(text)).join('')
  for (const line of await linesIn(folder)) expect(printed).toContain(line)
})
