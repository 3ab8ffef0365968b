import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { connect, type Client } from '@gantry/mcp/client'
import { currentPlaces, loadConfig } from '../../packages/gateway/src/config/index.ts'
import { startGateway, type RunningGateway } from '../../packages/gateway/src/main.ts'
import { rawTarget } from '../support/raw-target.ts'

let dir: string
let file: string
let gateway: RunningGateway | undefined
let client: Client
const lines: string[] = []

const configOf = (...names: string[]): string =>
  JSON.stringify(
    {
      mcpServers: Object.fromEntries(names.map((name) => [name, rawTarget({})])),
      stateDir: dir,
      server: { shutdownGrace: 0 },
    },
    undefined,
    2,
  )
const reports = (): number => lines.filter((line) => /not taken up/.test(line)).length

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gantry-config-'))
  file = join(dir, 'gantry.json')
  await writeFile(file, configOf('kept'))
  lines.length = 0
  vi.spyOn(process.stderr, 'write').mockImplementation((line) => lines.push(String(line)) > 0)
  const overrides = { port: 0, host: undefined }
  const places = currentPlaces()
  const loaded = await loadConfig(file, { places, overrides })
  if (!loaded.ok) throw new Error('not loaded')
  gateway = await startGateway({
    model: loaded.model,
    source: { file, loaded, places, overrides },
    logLevel: 'warn',
  })
  client = await connect(`${gateway.url}/mcp`, { era: 'legacy' })
})
afterEach(async () => {
  vi.restoreAllMocks()
  await client.close()
  await gateway?.close()
  await rm(dir, { recursive: true, force: true })
})

it.each([
  ['half-written', () => writeFile(file, configOf('kept', 'more').slice(0, 70))],
  ['emptied', () => writeFile(file, '')],
  ['invalid', () => writeFile(file, '{ "mcpServers": { "kept": { "command": 5 } } }')],
  ['deleted', () => rm(file)],
])(
  '%s while it runs: the old one stays in use, calls go on, and the next good one is taken',
  async (_how, spoil) => {
    const pid = (await client.call('kept_pid')).text()
    const slow = client.call('kept_late', { nonce: 'under way', ms: 1500 })
    await spoil()
    await expect.poll(reports).toBeGreaterThan(0)
    expect((await client.call('kept_pid')).text()).toBe(pid)
    await writeFile(file, configOf('kept', 'more'))
    const hasMore = () =>
      client.call('more_pid').then(
        () => true,
        () => false,
      )
    await expect.poll(hasMore).toBe(true)
    expect((await slow).text()).toBe('under way')
    expect((await client.call('kept_pid')).text()).toBe(pid)
  },
)
