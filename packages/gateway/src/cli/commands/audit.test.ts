import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { listSegments } from '../../audit/segments.ts'
import { callEvent, testFolder, testTrail } from '../../audit/trail.test.support.ts'
import { run, type CliRun } from '../captured-io.test.support.ts'

let dir: string
let file: string

beforeEach(async () => {
  dir = testFolder()
  writeFileSync(
    join(dir, 'gantry.json'),
    JSON.stringify({ stateDir: '.', audit: { folder: './audit' }, mcpServers: {} }),
  )
  const trail = testTrail(dir)
  await trail.open()
  for (let number = 1; number <= 5; number++) trail.add({ ...callEvent(number), at: Date.now() })
  const denied = { decision: 'denied', rule: 'no writes', status: 'failure', outcome: 'denied' } as const
  const object = { type: 'name', name: 'forged\n\u001b[2J' }
  trail.add({ ...callEvent(6), ...denied, object, at: Date.now() - 7_200_000 })
  await trail.close()
  file = (await listSegments(join(dir, 'audit')))[0]!.file
})

const gantry = (...args: string[]): Promise<CliRun> =>
  run({ platform: 'linux', home: dir, env: {}, cwd: dir }, ['audit', ...args, '--config', 'gantry.json'])

it('verify says that all is well, and what is not, at which line', async () => {
  const good = await gantry('verify')
  expect(good.err).toBe('')
  expect(good.out).toMatch(/closed\n✓ 8 events, and none was touched\n$/)
  expect(good.code).toBe(0)
  const lines = readFileSync(file, 'utf8').split('\n')
  writeFileSync(file, lines.with(2, lines[2]!.replace('publish', 'PUBLISH')).join('\n'))
  const bad = await gantry('verify')
  expect(bad.out).toContain(`${file}:3: event 3 was changed`)
  expect(bad.code).toBe(1)
  expect((await gantry('verify', '--json')).json()).toMatchObject({
    ok: false,
    faults: [{ line: 3, problem: 'event 3 was changed' }],
  })
})

it('verify reports an event that was cut off in the middle', async () => {
  const { length } = readFileSync(file)
  truncateSync(file, length - 20)
  const torn = await gantry('verify')
  expect(torn.out).toContain('ends in the middle of an event')
  expect(torn.out).toContain('✓ 7 events')
})

it('search finds what is wanted, without control characters', async () => {
  const { out } = await gantry('search', '--outcome', 'denied', '--rule', 'no writes')
  expect(out.split('\n')).toHaveLength(2)
  expect(out).toContain('ann')
  expect(out).toContain('denied by no writes')
  expect(out).not.toContain('\u001b')
  const recent = await gantry('search', '--since', '1h', '--who', 'ANN', '--json')
  const events = recent.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(events.map(({ api }) => api.request.uid)).toEqual(['1', '2', '3', '4', '5'])
  expect(await gantry('search', '--since', 'yesterday')).toMatchObject({ code: 2 })
  expect(await gantry('search', '--outcome', 'denyed')).toMatchObject({
    out: '',
    err: 'No event is like this. Did you mean "--outcome denied"?\n',
  })
})

it('tail prints the last events, the newest last', async () => {
  const { out } = await gantry('tail', '--limit', '2')
  expect(
    out
      .trim()
      .split('\n')
      .map((line) => line.split(' ').slice(1).join(' ')),
  ).toEqual([expect.stringContaining('denied'), expect.stringContaining('gateway/stop')])
  expect(await gantry('tail', '--limit', 'some')).toMatchObject({ code: 2 })
})
