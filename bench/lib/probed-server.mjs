import { start, stop } from '../../scripts/lib/processes.mjs'
import { createLineAsker } from './line-asker.mjs'
import { startHttpServer } from './http-server.mjs'

const PROBE = ['--expose-gc', `--import=${new URL('memory-probe.mjs', import.meta.url)}`]

/** Bytes in use in a server that was started with the probe. */
function memoryOf(child) {
  return new Promise((resolve, reject) => {
    const onClose = (code) => reject(new Error(`the server ended with ${code}`))
    child.once('close', onClose)
    child.once('message', (bytes) => {
      child.off('close', onClose)
      resolve(bytes)
    })
    child.send('memory')
  })
}

/** A server over HTTP that tells how much memory it uses. */
export async function startProbedHttp(args) {
  const server = await startHttpServer({ args: [...PROBE, ...args], ipc: true })
  return { ...server, memory: () => memoryOf(server.child) }
}

/** A server on stdio that tells how much memory it uses. */
export function startProbedStdio(args) {
  const child = start(process.execPath, [...PROBE, ...args], { stdio: ['pipe', 'pipe', 'inherit', 'ipc'] })
  const asker = createLineAsker(child)
  return { ...asker, memory: () => memoryOf(child), close: () => stop(child) }
}
