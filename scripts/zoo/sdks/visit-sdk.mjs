import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from '@gantry/mcp/client'
import { stdio } from '@gantry/mcp/client/node'
import { start, stop } from '../../lib/processes.mjs'
import { ZOO } from '../install-server.mjs'
import { startGateway } from '../start-gateway.mjs'
import { tryClient } from './try-client.mjs'
import { tryServer } from './try-server.mjs'

const REFERENCE = join(import.meta.dirname, 'reference-server.mjs')
const SLOW_START = 120_000

/**
 * Tries the server and the client of one SDK. Every view is a list of features and what came of them.
 * Through the gateway: `older` and `newer` are our clients of both eras at the SDK's server, `olderSet` and `newerSet`
 * the same with the setting that helps this SDK, `client` is the SDK's client at our server.
 * Without it, to see whose fault a failure is: `own` is the SDK's client at its own server, `directOlder` and
 * `directNewer` are our clients at the SDK's server, `clientDirect` is the SDK's client at our server.
 */
export async function visitSdk(sdk) {
  if (!isInstalled(sdk.needs)) return { name: sdk.name, skipped: `${sdk.needs} is not installed` }
  const { version, server, client } = await sdk.install(join(ZOO, 'sdks', sdk.name))
  const [command, ...args] = server
  const { lacks } = sdk
  const folder = join(ZOO, 'visits', sdk.name)
  rmSync(folder, { recursive: true, force: true })
  const views = {}
  if (client) views.own = await tryClient(client, server, { missing: [...lacks.server, ...lacks.client] })
  for (const [view, era] of Object.entries({ directOlder: 'legacy', directNewer: 'modern' }))
    views[view] = await tryServer(stdio(command, args), { era, missing: lacks.server })
  await withGateway({ command, args }, join(folder, 'server'), async (endpoint) => {
    for (const [view, era] of Object.entries({ older: 'legacy', newer: 'modern' }))
      views[view] = await tryServer(endpoint, { era, missing: lacks.server })
  })
  if (sdk.setting)
    await withGateway({ command, args, ...sdk.setting }, join(folder, 'setting'), async (endpoint) => {
      for (const [view, era] of Object.entries({ olderSet: 'legacy', newerSet: 'modern' }))
        views[view] = await tryServer(endpoint, { era, missing: lacks.server })
    })
  if (client) await visitWithClient(client, lacks.client, join(folder, 'client'), views)
  return { name: sdk.name, version, views }
}

async function visitWithClient(client, missing, folder, views) {
  await withReference(async (url) => {
    views.clientDirect = await tryClient(client, [url], { missing })
  })
  const reference = { command: process.execPath, args: [REFERENCE] }
  await withGateway(reference, folder, async (endpoint) => {
    views.client = await tryClient(client, [endpoint], { missing })
  })
}

function isInstalled(program) {
  try {
    execFileSync(program, [program === 'go' ? 'version' : '--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

async function withGateway(target, folder, use) {
  const gateway = await startGateway({ it: { ...target, prefix: false } }, folder)
  try {
    await untilListed(gateway.endpoint)
    await use(gateway.endpoint)
  } finally {
    await gateway.close()
  }
}

/** A server that starts slowly is missing from the lists at first. */
async function untilListed(endpoint) {
  const client = await connect(endpoint)
  const deadline = Date.now() + SLOW_START
  try {
    for (;;) {
      for await (const { name } of client.listTools({ fresh: true })) if (name === 'echo') return
      if (Date.now() > deadline) throw new Error('the server did not start behind the gateway')
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  } finally {
    await client.close()
  }
}

async function withReference(use) {
  const child = start(process.execPath, [REFERENCE, '--http'], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    await use(await new Promise((resolve) => child.stdout.once('data', (url) => resolve(String(url).trim()))))
  } finally {
    await stop(child)
  }
}
