import { readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { searchTrail } from './search.ts'
import { loadSigningKey } from './load-signing-key.ts'
import { listSegments } from './segments.ts'
import { callEvent, expectEvents, linesIn, testFolder, testTrail } from './trail.test.support.ts'
import { verifyTrail } from './verify.ts'

describe('a trail', () => {
  it('has every event in its order, in the form of OCSF, and closed by a signature', async () => {
    const folder = testFolder()
    const trail = testTrail(folder)
    await trail.open()
    for (let number = 1; number <= 2500; number++) trail.add(callEvent(number))
    await trail.close()
    const lines = await linesIn(folder)
    expect(lines).toHaveLength(2502)
    expectEvents(lines.slice(0, 3))
    expectEvents(lines.slice(-3))
    const numbers = lines.map((line) => JSON.parse(line).metadata.sequence)
    expect(numbers).toEqual(lines.map((_, index) => index + 1))
    expect(await verifyTrail(join(folder, 'audit'))).toMatchObject({
      ok: true,
      chains: [{ events: 2502, from: 1, to: 2502, signed: 1, isClosed: true, isTorn: false }],
    })
  })

  it('hides ids of sessions, and takes secrets out of names', async () => {
    const folder = testFolder()
    const trail = testTrail(folder, {}, { clean: (text) => text.replaceAll('hunter2', '[redacted]') })
    await trail.open()
    trail.add({ ...callEvent(1), object: { type: 'name', name: 'give-hunter2' }, detail: 'no hunter2' })
    await trail.close()
    const text = (await linesIn(folder)).join('\n')
    expect(text).not.toContain('hunter2')
    expect(text).not.toContain('session-1')
    expect(text).toContain('give-[redacted]')
  })

  it('signs its head from time to time', async () => {
    const folder = testFolder()
    const trail = testTrail(folder, { signEvery: 20 })
    await trail.open()
    const signed = async () => (await verifyTrail(join(folder, 'audit'))).chains[0]?.signed
    await expect.poll(signed).toBeGreaterThan(2)
    await trail.close()
    expect((await verifyTrail(join(folder, 'audit'))).ok).toBe(true)
  })

  it('begins new files, and removes old ones so that the rest stays provable', async () => {
    const folder = testFolder()
    const trail = testTrail(folder, { maxFileBytes: 20_000, keepBytes: 100_000 })
    await trail.open()
    for (let number = 1; number <= 300; number++) await trail.record(callEvent(number))
    await trail.close()
    const segments = await listSegments(join(folder, 'audit'))
    expect(segments.length).toBeGreaterThan(2)
    expect(segments.length).toBeLessThan(9)
    expect(segments[0]!.number).toBeGreaterThan(1)
    expect(await verifyTrail(join(folder, 'audit'))).toMatchObject({ ok: true, faults: [] })
    // Taken away by hand, and not in order.
    rmSync(segments[0]!.file)
    const { faults } = await verifyTrail(join(folder, 'audit'))
    expect(faults.map(({ problem }) => problem).join()).toMatch(/missing at the beginning/)
  })

  it('removes files that are too old, but none that a process still writes', async () => {
    const folder = testFolder()
    const day = 86_400_000
    const settings = { maxFileBytes: 20_000, keepFor: 7 * day }
    const first = testTrail(folder, settings)
    await first.open()
    for (let number = 1; number <= 80; number++) await first.record(callEvent(number))
    const written = await listSegments(join(folder, 'audit'))
    expect(written.length).toBeGreaterThan(3)
    const age = (file: string, days: number): void => {
      const then = new Date(Date.now() - days * day)
      utimesSync(file, then, then)
    }
    age(written[0]!.file, 8)
    age(written[1]!.file, 7.1)
    age(written[2]!.file, 6.9)
    age(written.at(-1)!.file, 8)
    const next = testTrail(folder, settings)
    await next.open()
    const left = (await listSegments(join(folder, 'audit'))).filter(({ chain }) => chain === first.chain)
    expect(left).toEqual(written.slice(2))
    await first.close()
    await next.close()
    expect(await verifyTrail(join(folder, 'audit'))).toMatchObject({ ok: true, faults: [] })
  })

  it('finds what is wanted, the newest first', async () => {
    const folder = testFolder()
    const trail = testTrail(folder)
    await trail.open()
    for (let number = 1; number <= 50; number++) trail.add(callEvent(number))
    trail.add({
      ...callEvent(99),
      decision: 'denied',
      rule: 'no-writes',
      status: 'failure',
      outcome: 'denied',
    })
    await trail.close()
    const found = await searchTrail(join(folder, 'audit'), { who: 'ANN', target: 'notes' }, 3)
    expect(found.map(({ event }) => (event.api as { request: { uid: string } }).request.uid)).toEqual([
      '99',
      '50',
      '49',
    ])
    const [denied, ...others] = await searchTrail(join(folder, 'audit'), { outcome: 'denied' }, 10)
    expect(others).toEqual([])
    expect(denied).toMatchObject({
      who: 'person:ann',
      rule: 'no-writes',
      decision: 'denied',
      object: 'publish',
    })
  })
})

const MB = 1024 * 1024

it('stays good when the clock goes back', async () => {
  const folder = testFolder()
  const trail = testTrail(folder)
  await trail.open()
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 })
  onTestFinished(() => void vi.useRealTimers())
  trail.add({ ...callEvent(1), at: Date.now() })
  // The next process begins before the one that it follows.
  const next = testTrail(folder)
  await trail.close()
  await next.open()
  await next.close()
  expect(next.chain < trail.chain).toBe(true)
  expect(await verifyTrail(join(folder, 'audit'))).toMatchObject({ ok: true, chains: [{}, {}] })
})

it('gathers what comes while it writes: many small writes cost several times as much', async () => {
  const trail = testTrail(testFolder())
  await trail.open()
  let writes = 0
  trail.follow({ written: () => void writes++ })
  const began = performance.now()
  let number = 0
  while (performance.now() - began < 300) {
    trail.add(callEvent(++number))
    await pause(1)
  }
  await trail.flush()
  const lasted = performance.now() - began
  await trail.close()
  expect(number).toBeGreaterThan(30)
  expect(writes).toBeLessThan(lasted / 15)
})

describe('a trail that cannot be written', () => {
  it('refuses what waits for it, keeps the rest, and says afterwards what was lost', async () => {
    const folder = testFolder()
    // In the place of the folder is a file.
    await writeFile(join(folder, 'audit'), '')
    const health: (string | undefined)[] = []
    const trail = testTrail(folder, {}, { onHealth: (error) => health.push(error?.message) })
    await trail.open()
    trail.add(callEvent(1))
    await expect(trail.record(callEvent(2))).rejects.toThrow(/EEXIST|ENOTDIR/)
    expect(trail.error).toBeDefined()
    await rm(join(folder, 'audit'))
    await mkdir(join(folder, 'audit'))
    await expect.poll(() => trail.error).toBeUndefined()
    await trail.close()
    expect(health.map((one) => one !== undefined)).toEqual([true, false])
    const events = (await linesIn(folder)).map((line) => JSON.parse(line))
    expect(events.map(({ api }) => api.operation)).toEqual([
      'gateway/start',
      'tools/call',
      'audit/lost',
      'gateway/stop',
    ])
    expect(events[2].unmapped.events).toBe(1)
    expect((await verifyTrail(join(folder, 'audit'))).ok).toBe(true)
  })

  it('keeps only so much of long events, and counts the others', async () => {
    const folder = testFolder()
    await writeFile(join(folder, 'audit'), '')
    const trail = testTrail(folder)
    await trail.open()
    const detail = 'x '.repeat(MB / 2)
    for (let number = 1; number <= 100; number++) trail.add({ ...callEvent(number), detail })
    expect(trail.lost).toBeGreaterThan(60)
    expect(trail.lost).toBeLessThan(80)
    await rm(join(folder, 'audit'))
    await mkdir(join(folder, 'audit'))
    await expect.poll(() => trail.error).toBeUndefined()
    // There is room again.
    const { lost } = trail
    for (let number = 101; number <= 120; number++) {
      trail.add({ ...callEvent(number), detail })
      await trail.flush()
    }
    expect(trail.lost).toBe(lost)
    await trail.close()
    const calls = (await linesIn(folder)).filter((line) => line.includes('"tools/call"'))
    expect(calls).toHaveLength(120 - lost)
    expect((await verifyTrail(join(folder, 'audit'))).ok).toBe(true)
  })

  it('keeps the order and the chain of many events, of which one was waited for', async () => {
    const folder = testFolder()
    await writeFile(join(folder, 'audit'), '')
    const trail = testTrail(folder)
    await trail.open()
    for (let number = 1; number <= 100; number++) trail.add(callEvent(number))
    await expect(trail.record(callEvent(101))).rejects.toThrow(/EEXIST|ENOTDIR/)
    for (let number = 102; number <= 200; number++) trail.add(callEvent(number))
    await rm(join(folder, 'audit'))
    await mkdir(join(folder, 'audit'))
    await expect.poll(() => trail.error).toBeUndefined()
    await trail.close()
    const events = (await linesIn(folder)).map((line) => JSON.parse(line))
    const calls = events.filter(({ api }) => api.operation === 'tools/call')
    const wanted = Array.from({ length: 200 }, (_, at) => String(at + 1)).filter((number) => number !== '101')
    expect(calls.map(({ api }) => api.request.uid)).toEqual(wanted)
    expect((await verifyTrail(join(folder, 'audit'))).ok).toBe(true)
  })
})

it('refuses what waits for it, and says why, when its thread has ended', async () => {
  const folder = testFolder()
  const health: (string | undefined)[] = []
  const good = loadSigningKey(folder)
  // The thread reads the key first.
  const key = Object.assign(Object.create(good) as typeof good, {
    pem: 'no key',
    hashingKey: () => good.hashingKey(),
  })
  const trail = testTrail(folder, {}, { key, onHealth: (error) => health.push(error?.message) })
  await expect(trail.record(callEvent(1))).rejects.toThrow('the thread that writes ended')
  trail.add(callEvent(2))
  await trail.flush()
  expect(trail.error?.message).toContain('restart the gateway')
  expect(trail.lost).toBe(1)
  expect(health).toHaveLength(1)
  await trail.close()
})

describe('who changes the files', () => {
  async function written(): Promise<{ folder: string; file: string; lines: string[] }> {
    const folder = testFolder()
    const trail = testTrail(folder)
    await trail.open()
    for (let number = 1; number <= 20; number++) trail.add(callEvent(number))
    await trail.close()
    const { file } = (await listSegments(join(folder, 'audit')))[0]!
    return { folder: join(folder, 'audit'), file, lines: readFileSync(file, 'utf8').trimEnd().split('\n') }
  }

  const changes: Record<string, (lines: string[]) => string[]> = {
    'a word of an event': (lines) => lines.with(7, lines[7]!.replace('publish', 'PUBLISH')),
    'an event with a fingerprint that fits': (lines) => lines.with(7, lines[8]!),
    'the order of two events': (lines) => lines.with(7, lines[8]!).with(8, lines[7]!),
    'an event away': (lines) => lines.toSpliced(7, 1),
    'the first event away': (lines) => lines.slice(1),
    'a member twice in an event': (lines) =>
      lines.with(7, lines[7]!.replace('"action_id":', '"action_id":2,"action_id":')),
    'a space in an event': (lines) => lines.with(7, lines[7]!.replace(',', ', ')),
    'a line into it': (lines) => lines.toSpliced(7, 0, '{}'),
    'an event twice': (lines) => lines.toSpliced(7, 0, lines[7]!),
    'a part of the first event away': (lines) => lines.with(0, lines[0]!.slice(50)),
    'an event behind the end': (lines) => [...lines, lines[7]!],
    'the signature': (lines) =>
      lines.with(-1, lines.at(-1)!.replace(/"signature":"[^"]{10}/, '"signature":"AAAAAAAAAA')),
  }
  it.each(Object.entries(changes))('is found out: %s', async (_, change) => {
    const { folder, file, lines } = await written()
    expect((await verifyTrail(folder)).ok).toBe(true)
    writeFileSync(file, `${change(lines).join('\n')}\n`)
    const { ok, faults } = await verifyTrail(folder)
    expect(ok).toBe(false)
    expect(faults.length).toBeGreaterThan(0)
  })

  it('is found out by one bit, wherever it is', async () => {
    const { folder, file } = await written()
    const bytes = readFileSync(file)
    const unseen: number[] = []
    for (let at = 0; at < bytes.length - 1; at += 61) {
      const changed = Buffer.from(bytes)
      changed[at]! ^= 1 << (at % 7)
      writeFileSync(file, changed)
      if ((await verifyTrail(folder)).ok) unseen.push(at)
    }
    expect(unseen).toEqual([])
  })

  it('is found out when a chain is cut off or taken away that a later one knows', async () => {
    const { folder, file, lines } = await written()
    const trail = testTrail(join(folder, '..'))
    await trail.open()
    await trail.close()
    expect((await verifyTrail(folder)).ok).toBe(true)
    writeFileSync(file, `${lines.slice(0, 10).join('\n')}\n`)
    expect((await verifyTrail(folder)).faults[0]!.problem).toBe('events 11 to 22 are missing at the end')
    rmSync(file)
    expect((await verifyTrail(folder)).faults[0]!.problem).toMatch('all events of a chain that had 22')
  })

  it('is found out by the key when a whole chain is written anew', async () => {
    const { folder } = await written()
    const { publicKey } = loadSigningKey(testFolder())
    const { faults } = await verifyTrail(folder, { publicKey })
    expect(faults[0]!.problem).toBe('the signature of the chain is not good')
  })
})
