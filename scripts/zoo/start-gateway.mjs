import { mkdirSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../lib/paths.mjs'
import { start, stop } from '../lib/processes.mjs'

const GANTRY = join(ROOT, 'packages', 'gateway', 'bin', 'gantry.mjs')

/** The built gateway with these targets, as a user starts it. Lists wait for servers that start slowly. */
export async function startGateway(targets, folder) {
  mkdirSync(folder, { recursive: true })
  const config = join(folder, 'gantry.json')
  writeFileSync(
    config,
    JSON.stringify({ mcpServers: targets, stateDir: join(folder, 'state'), catalog: { deadline: '2m' } }),
  )
  const log = join(folder, 'gateway.log')
  const child = start(process.execPath, [GANTRY, 'serve', '--config', config, '--port', '0'], {
    stdio: ['ignore', 'pipe', openSync(log, 'w')],
    cwd: folder,
  })
  let printed = ''
  const endpoint = await new Promise((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text) => {
      printed += text
      const found = /Endpoint\s+(\S+)/.exec(printed)
      if (found) resolve(found[1])
    })
    child.once('close', () => reject(new Error(`The gateway ended; its log is ${log}`)))
  })
  return { endpoint, close: () => stop(child) }
}
