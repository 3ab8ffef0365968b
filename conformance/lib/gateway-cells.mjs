import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../../scripts/lib/paths.mjs'
import { startServer } from './subject.mjs'

const SERVER = 'conformance/server.mjs'
const GATEWAY = 'packages/gateway/dist/cli/gantry.js'
const CLIENT_REVISIONS = ['2025-11-25', '2026-07-28']

/**
 * The server behind the gateway: which era it speaks, and over what. On a pipe to a modern server log messages name no
 * request: with two scenarios at a time nobody could say whose they are, so it gets one after another.
 */
const UPSTREAMS = {
  'legacy-stdio': { transport: 'stdio', era: 'legacy' },
  'legacy-http': { transport: 'http', era: 'legacy' },
  'modern-stdio': { transport: 'stdio', era: 'modern', jobs: 1 },
  'modern-http': { transport: 'http', era: 'modern' },
  'dual-http': { transport: 'http' },
}

/** Every combination of client era and upstream, the target alone and beside four others. */
export const CELLS = CLIENT_REVISIONS.flatMap((revision) =>
  Object.keys(UPSTREAMS).flatMap((upstream) =>
    ['alone', 'among'].map((company) => ({
      name: `${revision}/${upstream}/${company}`,
      revision,
      upstream,
      company,
      jobs: UPSTREAMS[upstream].jobs,
    })),
  ),
)

/** Starts the upstream and a gateway in front of it; with a balancer, three that act as one behind it. */
export async function startCell({ upstream, company }, balancer) {
  const { transport, era } = UPSTREAMS[upstream]
  const args = era ? ['--era', era] : []
  const behind = transport === 'http' ? await startServer(SERVER, args) : undefined
  const folder = await mkdtemp(join(tmpdir(), 'gantry-cell-'))
  const target = behind ? { url: behind.url } : node(SERVER, '--stdio', ...args)
  const config = {
    mcpServers: {
      everything: { ...target, prefix: false, ...(era === 'legacy' && REFUSE) },
      ...(company === 'among' && OTHERS),
    },
  }
  let gateway
  const stop = async () => {
    await gateway?.stop()
    await behind?.stop()
    await rm(folder, { recursive: true, force: true })
  }
  try {
    gateway = await (balancer ? startBehind(balancer, config) : startAlone(folder, config))
    return {
      url: gateway.url,
      get log() {
        return gateway.log
      },
      get failure() {
        return gateway.failure ?? behind?.failure
      },
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function startAlone(folder, config) {
  const file = join(folder, 'gantry.json')
  await writeFile(file, JSON.stringify({ stateDir: folder, ...config }))
  return startServer(GATEWAY, (port) => ['serve', '--config', file, '--port', String(port)])
}

/** As `npm run scale` has them: a real balancer, and a real Redis. */
async function startBehind(balancer, config) {
  await import('../../scripts/lib/typescript-loader.mjs')
  const { startGateways } = await import('../../tests/scale/world.ts')
  const world = await startGateways(balancer, config)
  return { url: `${world.balancer.url.replace('127.0.0.1', 'localhost')}/mcp`, stop: () => world.close() }
}

/** A scenario of the tasks extension wants the refusal of a modern server, which an older server cannot give. */
const REFUSE = { tasks: 'refuse' }

const OTHERS = Object.fromEntries(
  ['one', 'two', 'three', 'four'].map((name) => [name, node('examples/echo-server.mjs', 'stdio')]),
)

function node(script, ...args) {
  return { command: process.execPath, args: [join(ROOT, script), ...args] }
}
