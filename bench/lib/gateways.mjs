import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { ROOT } from '../../scripts/lib/paths.mjs'
import { program } from './contestants.mjs'
import { freePort, startHttpServer } from './http-server.mjs'

const GANTRY = join(ROOT, 'packages/gateway/dist/cli/gantry.js')
const require = createRequire(import.meta.url)

/** The script behind a command of a peer. */
function peerScript(name) {
  const manifest = join(dirname(require.resolve('../package.json')), 'node_modules', name, 'package.json')
  const { bin } = require(manifest)
  return join(dirname(manifest), typeof bin === 'string' ? bin : bin[name])
}

/** A folder for the configuration of one server; it goes when the server is closed. */
export async function withFolder(startServer) {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-bench-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    const server = await startServer(folder)
    return { ...server, close: () => server.close().finally(remove) }
  } catch (error) {
    remove()
    throw error
  }
}

function writeConfig(folder, config) {
  const file = join(folder, 'config.json')
  writeFileSync(file, JSON.stringify(config))
  return file
}

/** Our gateway in front of some targets; `settings` go into its configuration. */
export function gantry(targets, settings = {}) {
  return (nodeArgs) =>
    withFolder(async (folder) => {
      const file = writeConfig(folder, {
        mcpServers: targets,
        stateDir: join(folder, 'state'),
        ...settings,
      })
      const port = await freePort()
      const args = [...nodeArgs, GANTRY, 'serve', '--config', file, '--port', String(port)]
      return startHttpServer({ args, cwd: folder, port })
    })
}

/** A target whose tools keep their names. */
export const stdioTarget = (...args) => ({ command: process.execPath, args, prefix: false })

export async function supergateway(...args) {
  const port = await freePort()
  const command = [process.execPath, ...args].join(' ')
  return startHttpServer({
    args: [
      peerScript('supergateway'),
      ...['--stdio', command, '--outputTransport', 'streamableHttp', '--stateful'],
      ...['--port', String(port), '--logLevel', 'none'],
    ],
    port,
  })
}

export async function mcpProxy(...args) {
  const port = await freePort()
  return startHttpServer({
    args: [
      peerScript('mcp-proxy'),
      ...['--port', String(port), '--host', '127.0.0.1', '--server', 'stream'],
      ...['--', process.execPath, ...args],
    ],
    port,
  })
}

/** mcp-hub takes calls at an endpoint of its own kind: see `hubCall`. */
export async function mcpHub(...args) {
  const port = await freePort()
  const server = await withFolder((folder) => {
    const file = writeConfig(folder, { mcpServers: { echo: { command: process.execPath, args } } })
    const command = [peerScript('mcp-hub'), '--port', String(port), '--config', file]
    return startHttpServer({ args: command, port, env: { XDG_STATE_HOME: folder, XDG_CONFIG_HOME: folder } })
  })
  return { ...server, path: '/api/servers/tools' }
}

/** Starts a modern server, then what stands in front of it, and closes both together. */
export function before(startFront) {
  return async (nodeArgs) => {
    const behind = await startHttpServer({ args: [program('bare-http.mjs'), 'modern'] })
    try {
      const front = await startFront(behind.port)(nodeArgs)
      return { ...front, close: () => Promise.all([front.close(), behind.close()]) }
    } catch (error) {
      await behind.close()
      throw error
    }
  }
}
