import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { findGateways, readStateFile, removeStateFile, writeStateFile } from './state-file.ts'
import { stateHome, type UserPlaces } from './user-places.ts'

let dir: string
let places: UserPlaces
beforeEach(async () => {
  const home = await mkdtemp(join(tmpdir(), 'gantry-state-'))
  places = { platform: 'linux', home, env: {}, cwd: home }
  dir = join(stateHome(places), 'gantry', 'gantry.yaml-1')
})
afterEach(() => rm(places.home, { recursive: true }))

/** A process that lives as long as the test does. */
const OTHER = process.ppid
const state = (pid: number, startedAt: number) => ({
  url: `http://127.0.0.1:${startedAt}`,
  pid,
  version: '1',
  startedAt,
})

it('a second gateway with the same configuration does not hide the first, nor take its file away', async () => {
  await writeStateFile(dir, state(OTHER, 1))
  await writeStateFile(dir, state(process.pid, 2))
  expect((await readStateFile(dir))?.pid).toBe(OTHER)
  await removeStateFile(dir, process.pid)
  expect((await readStateFile(dir))?.pid).toBe(OTHER)
  expect(await readdir(dir)).toEqual(['gateway.json'])
})

it('the second is found once the first has ended', async () => {
  await writeStateFile(dir, state(OTHER, 1))
  await writeStateFile(dir, state(process.pid, 2))
  await removeStateFile(dir, OTHER)
  expect((await readStateFile(dir))?.pid).toBe(process.pid)
})

it('files of gateways that were killed, and files that are none, count for nothing', async () => {
  await writeStateFile(dir, state(2 ** 22 + 1, 1))
  await writeFile(join(dir, 'gateway-7.json'), '{ half')
  expect(await readStateFile(dir)).toBeUndefined()
  await writeStateFile(dir, state(process.pid, 2))
  expect((await readStateFile(dir))?.startedAt).toBe(2)
})

it('finds all gateways of the user', async () => {
  expect(await findGateways(places)).toEqual([])
  await writeStateFile(dir, state(process.pid, 1))
  await writeStateFile(join(dir, '..', 'other-2'), state(process.pid, 2))
  expect((await findGateways(places)).map(({ startedAt }) => startedAt)).toEqual([1, 2])
})
