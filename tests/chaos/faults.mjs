import { spawn } from 'node:child_process'
import { connect as connectSocket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { kill, pidsOf, until } from './processes.mjs'

const CLIENT = fileURLToPath(new URL('client.mjs', import.meta.url))

/**
 * What can go wrong in a round. Each fault gets the world and a random number generator, and returns the targets
 * whose calls may fail because of it; `'all'` when the gateway itself is gone.
 */
export const FAULTS = {
  async 'kill a target in the middle of its calls'({ pidOf, pick }) {
    const name = pick()
    kill(await pidOf(name))
    return [name]
  },

  async 'kill a client in the middle of its call'({ world, random }) {
    const era = random() < 0.5 ? 'legacy' : 'modern'
    const child = spawn(process.execPath, [CLIENT, world.endpoint, era, world.mark], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    await Promise.race([
      new Promise((resolve) => child.stdout.once('data', resolve)),
      new Promise((resolve) => setTimeout(resolve, 5000)),
    ])
    child.kill('SIGKILL')
    return []
  },

  async 'leave a socket to the gateway half open'({ world, later }) {
    const socket = connectSocket(Number(new URL(world.endpoint).port), '127.0.0.1')
    socket.on('error', () => {})
    socket.write(
      'POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{',
    )
    later(() => socket.destroy())
    return []
  },

  /** Calls under way die with their session; the next ones must not notice anything. */
  async 'forget the sessions of a server'({ world, mustWork }) {
    world.web.forgetSessions()
    await mustWork('web')
    return ['web']
  },

  async 'break the sockets of a server'({ world, random }) {
    const name = random() < 0.5 ? 'web' : 'modern'
    world[name].dropSockets()
    return [name]
  },

  async 'let a server take requests and never answer'({ world, random }) {
    const name = random() < 0.5 ? 'web' : 'modern'
    world[name].stall(true)
    setTimeout(() => world[name].stall(false), 400)
    return [name]
  },

  async 'kill a target that hangs when it starts'({ world }) {
    const known = new Set(await pidsOf('"sluggish"'))
    const [pid] = (await pidsOf(world.mark)).filter((one) => known.has(one))
    if (pid) kill(pid)
    return ['sluggish']
  },
}

/** The gateway itself: nothing that it started may outlive it. */
export async function killGateway({ world, report }) {
  const before = await pidsOf(world.mark)
  await world.end('SIGKILL')
  const left = async () => (await pidsOf(world.mark)).filter((pid) => before.includes(pid))
  await until(async () => (await left()).length === 0, 8000, 100)
  const orphans = await left()
  report.orphans += orphans.length
  for (const pid of orphans) kill(pid)
  await world.startGateway()
}
