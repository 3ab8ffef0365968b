import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { modernRequest } from '../support/raw-client.ts'

const GANTRY = fileURLToPath(new URL('../../packages/gateway/bin/gantry.mjs', import.meta.url))
const PRINT = new URL('../fixtures/print-loaded.mjs', import.meta.url).href
const META = fileURLToPath(new URL('../fixtures/meta-server.mjs', import.meta.url))

/** Which packages of telemetry a gateway loads by the time that it has answered a call. */
async function loadedWith(env: Record<string, string>): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'gantry-loaded-'))
  const file = join(folder, 'gantry.json')
  const target = { command: process.execPath, args: [META] }
  await writeFile(file, JSON.stringify({ mcpServers: { meta: target }, stateDir: join(folder, 'state') }))
  const args = ['--import', PRINT, GANTRY, 'serve', '--config', file, '--port', '0']
  const child = spawn(process.execPath, args, { env: { ...process.env, ...env } })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += String(chunk)
    })
  }
  try {
    const url = () => /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0]
    await expect.poll(url, { timeout: 60_000 }).toBeDefined()
    const { message } = await modernRequest(`${url()}/mcp`, 'tools/call', { name: 'meta_meta' })
    expect(message.result.content).toHaveLength(1)
  } finally {
    child.kill('SIGTERM')
    await once(child, 'exit')
    await rm(folder, { recursive: true, force: true })
  }
  return [...output.matchAll(/^loaded (\S+)$/gm)].map(([, name]) => name!)
}

it('loads nothing of OpenTelemetry unless it is wanted', async () => {
  expect(await loadedWith({})).toEqual([])
  // Nobody listens there. That is no reason to fail.
  expect(await loadedWith({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' })).toContain(
    '@opentelemetry/core',
  )
  expect(
    await loadedWith({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_SDK_DISABLED: 'true' }),
  ).toEqual([])
})
