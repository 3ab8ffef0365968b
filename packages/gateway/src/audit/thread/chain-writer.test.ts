import { mkdir, open, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { canonicalJson } from '@gantry/mcp/exchange'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type AuditEvent, shapeOf } from '../audit-event.ts'
import { loadSigningKey } from '../load-signing-key.ts'
import { EventPack, type PackedEvents } from '../packed-events.ts'
import { newChain } from '../segments.ts'
import { toSigningEvent, toWaitingEvent } from '../to-waiting-event.ts'
import { type EventExtra, NONE } from '../waiting-event.ts'
import { callEvent, linesIn, testFolder } from '../trail.test.support.ts'
import { verifyTrail } from '../verify.ts'
import { ChainWriter } from './chain-writer.ts'
import { argumentsOf, hundredths, unmappedOf } from './unmapped.ts'

function writerIn(folder: string, settings: { sync?: number; maxFileBytes?: number } = {}): ChainWriter {
  return new ChainWriter({
    chain: newChain(),
    about: '"log_name":"audit","product":{"name":"gantry"},"profiles":["record_integrity"]',
    pem: loadSigningKey(folder).pem,
    folder: join(folder, 'audit'),
    maxFileBytes: 64 * 1024 * 1024,
    sync: 1000,
    ...settings,
  })
}

function packOf(events: readonly AuditEvent[]): EventPack {
  const pack = new EventPack()
  for (const event of events) pack.add(toWaitingEvent(event), (facts) => shapeOf(facts, String, String))
  return pack
}

const packed = (...events: AuditEvent[]): PackedEvents => packOf(events).packed(true)

describe('what is written', () => {
  it('follows what was there before, also behind a failure that left half of a line', async () => {
    const folder = testFolder()
    const writer = writerIn(folder)
    await writer.write(packed(callEvent(1), callEvent(2)))
    const handle = await open(new URL(import.meta.url))
    const write = vi.spyOn(Object.getPrototypeOf(handle) as typeof handle, 'write')
    await handle.close()
    write.mockImplementationOnce(async function (this: typeof handle, data: unknown) {
      await this.appendFile((data as Buffer).subarray(0, 100))
      throw new Error('no space left')
    } as never)
    await expect(writer.write(packed(callEvent(3)))).rejects.toThrow('no space left')
    write.mockRestore()
    const { head, lines } = await writer.write(packed(callEvent(4)))
    expect(head.sequence).toBe(3)
    await writer.close()
    const all = await linesIn(folder)
    expect(lines).toBe(`${all.at(-1)!}\n`)
    expect(all.map((line) => JSON.parse(line).api.request.uid)).toEqual(['1', '2', '4'])
    expect((await verifyTrail(join(folder, 'audit'))).faults).toEqual([])
  })

  it('is signed by the event that comes next', async () => {
    const folder = testFolder()
    const writer = writerIn(folder)
    const pack = packOf([callEvent(1)])
    pack.add(toSigningEvent({ ...callEvent(2), operation: 'audit/head' }), (facts) =>
      shapeOf(facts, String, String),
    )
    await writer.write(pack.packed(false))
    await writer.close()
    expect(await verifyTrail(join(folder, 'audit'))).toMatchObject({ ok: true, chains: [{ signed: 1 }] })
    expect((await linesIn(folder)).map((line) => canonicalJson(JSON.parse(line)))).toEqual(
      await linesIn(folder),
    )
  })

  it('says which file became long enough', async () => {
    const folder = testFolder()
    const writer = writerIn(folder, { maxFileBytes: 2000 })
    expect((await writer.write(packed(callEvent(1)))).full).toBeUndefined()
    expect((await writer.write(packed(callEvent(2), callEvent(3)))).full).toContain('.000001.jsonl')
    await writer.close()
  })

  it('is nothing where the folder is not one', async () => {
    const folder = testFolder()
    const writer = writerIn(folder)
    await writeFile(join(folder, 'audit'), '')
    await expect(writer.write(packed(callEvent(1)))).rejects.toThrow(/EEXIST|ENOTDIR/)
    await rm(join(folder, 'audit'))
    await mkdir(join(folder, 'audit'))
    expect((await writer.write(packed(callEvent(2)))).head.sequence).toBe(1)
    await writer.close()
  })
})

describe('the disk', () => {
  /** How often anything was synced. */
  async function spySyncs() {
    const handle = await open(new URL(import.meta.url))
    const syncs = vi.spyOn(Object.getPrototypeOf(handle) as typeof handle, 'datasync')
    await handle.close()
    onTestFinished(() => void syncs.mockRestore())
    return syncs
  }

  it('syncs as often as is wanted during a burst, and once more behind it', async () => {
    const syncs = await spySyncs()
    const count = (): number => syncs.mock.calls.length
    const writer = writerIn(testFolder(), { sync: 200 })
    const began = performance.now()
    for (let number = 1; number <= 60; number++) {
      await writer.write(packed(callEvent(number)))
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    const during = count()
    expect(during).toBeGreaterThan(0)
    // Not one for each of the sixty.
    expect(during).toBeLessThanOrEqual(((performance.now() - began) / 200) * 2 + 2)
    await expect.poll(count).toBeGreaterThan(during)
    await writer.close()
  })

  it('syncs at once what a caller waits for', async () => {
    const syncs = await spySyncs()
    const writer = writerIn(testFolder(), { sync: 3_600_000 })
    await writer.write(packed(callEvent(1)))
    const before = syncs.mock.calls.length
    await writer.write({ ...packed(callEvent(2)), isAwaited: true })
    expect(syncs.mock.calls.length).toBe(before + 1)
    await writer.close()
  })

  it('tells when it does not sync, and does not write again what is in the file', async () => {
    const folder = testFolder()
    const syncs = await spySyncs()
    const writer = writerIn(folder)
    syncs.mockRejectedValueOnce(new Error('EIO'))
    const { head, unsynced } = await writer.write({ ...packed(callEvent(1)), isAwaited: true })
    expect(unsynced?.message).toBe('EIO')
    expect(head.sequence).toBe(1)
    await writer.close()
    expect(await linesIn(folder)).toHaveLength(1)
  })
})

describe('a pack of events', () => {
  it('loses those that callers wait for, and keeps the others as they were', async () => {
    const folder = testFolder()
    const pack = new EventPack()
    const refused: number[] = []
    for (let number = 1; number <= 9; number++) {
      const event = toWaitingEvent({
        ...callEvent(number),
        target: `t${number % 3}`,
        detail: 'x'.repeat(number),
      })
      const settle = number % 2 === 0 ? () => void refused.push(number) : undefined
      pack.add(event, (facts) => shapeOf(facts, String, String), settle)
    }
    pack.refuse(new Error('full'))
    expect(refused).toEqual([2, 4, 6, 8])
    expect(pack.size).toBe(5)
    expect(pack.characters).toBe(1 + 3 + 5 + 7 + 9)
    const writer = writerIn(folder)
    await writer.write(pack.packed(false))
    await writer.close()
    const events = (await linesIn(folder)).map((line) => JSON.parse(line))
    expect(events.map(({ api }) => [api.request.uid, api.service.name])).toEqual(
      [1, 3, 5, 7, 9].map((number) => [String(number), `t${number % 3}`]),
    )
  })
})

it('writes what OCSF has no place for in the canonical form, whatever there is of it', () => {
  const shape = { outcome: 'ok', stage: 'outcome', view: '' }
  const numbers = { took: 1.25, targetMs: 1, bytes: 7 }
  const none = { took: NONE, targetMs: NONE, bytes: NONE }
  const extras: (EventExtra | undefined)[] = [
    undefined,
    { approval: 'an "id"', limit: 'each "one"', result: 'ü\u2028"', body: '{"a":"b"}' },
    { hashed: { length: 9000, hash: 'abc' } },
  ]
  for (const view of ['', 'support'])
    for (const measured of [numbers, none])
      for (const extra of extras)
        for (const args of [undefined, '{"a":1}']) {
          const text = unmappedOf(
            { ...shape, view },
            measured,
            argumentsOf(args, () => 'h', extra),
            extra,
          )
          expect(canonicalJson(JSON.parse(text))).toBe(text)
        }
})

it.each([0, 0.004, 0.01, 0.1, 1, 1.2, 1.23, 12.05, 99.999, 100, 123_456_789.12])(
  'writes %f milliseconds as JSON does',
  (time) => {
    expect(hundredths(time)).toBe(JSON.stringify(Math.round(time * 100) / 100))
  },
)
