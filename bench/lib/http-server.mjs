import { connect, createServer } from 'node:net'
import { start, stop } from '../../scripts/lib/processes.mjs'

const END_WITH_PARENT = new URL('end-with-parent.mjs', import.meta.url)
const PATIENCE_MS = 30_000

/** Starts a server program and waits until it listens: on the port that it says, or on the one it was given. */
export async function startHttpServer({ command = process.execPath, args, cwd, env, port, ipc = false }) {
  const child = start(command, args, {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe', ...(ipc ? ['ipc'] : [])],
    env: { ...process.env, NODE_OPTIONS: `--import=${END_WITH_PARENT}`, ...env },
  })
  let output = ''
  const said = new Promise((resolve, reject) => {
    const read = (chunk) => {
      output = `${output}${chunk}`.slice(-5000)
      const line = /^listening (\d+)$/m.exec(output)
      if (line) resolve(Number(line[1]))
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.once('close', (code) => reject(new Error(`${args.join(' ')} ended with ${code}: ${output}`)))
    setTimeout(() => reject(new Error(`${args.join(' ')} does not listen: ${output}`)), PATIENCE_MS).unref()
  })
  said.catch(() => {})
  try {
    const found = await (port === undefined ? said : Promise.race([said, untilListening(port)]))
    return { child, pid: child.pid, port: found, close: () => stop(child), output: () => output }
  } catch (error) {
    await stop(child)
    throw error
  }
}

async function untilListening(port) {
  const end = Date.now() + PATIENCE_MS
  while (Date.now() < end) {
    if (await accepts(port)) return port
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`nothing listens on ${port}`)
}

function accepts(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}

/** A port that is free now, for programs that cannot choose one. */
export function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}
