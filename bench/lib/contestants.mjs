import { join } from 'node:path'
import { openTarget, probeUntilRight } from '../load/http-request.mjs'
import { createWrkLoad } from '../load/wrk.mjs'
import { cpuMicroseconds } from './cpu.mjs'
import { startHttpServer } from './http-server.mjs'
import { startWorker } from './worker.mjs'

const BENCH = join(import.meta.dirname, '..')

/** The path of a program of a contestant. */
export const program = (name) => join(BENCH, 'contestants', name)

/** Calls per second and the server's CPU time per call, from what a load counted. */
export function rates({ count, ms, cpu, p50, p99 }) {
  return { rate: count / (ms / 1000), cpu: cpu / count, p50, p99 }
}

/** A contestant that is asked over its pipes. */
export function overStdio(name, args, { era, message, expect, inFlight = 64 }) {
  return {
    name,
    async open({ nodeArgs }) {
      const command = { command: process.execPath, args: [...nodeArgs, ...args] }
      const options = { ...command, era, message, expect, inFlight }
      const worker = await startWorker(join(BENCH, 'load/stdio-load.mjs'), options)
      return { sample: async (ms) => rates(await worker.tell({ ms })), close: worker.close }
    },
  }
}

/**
 * A contestant that is asked over HTTP. `startServer` returns what `startHttpServer` does, and may add the
 * path of the endpoint.
 */
export function overHttp(name, startServer, { era, message, expect, connections = 32, timed = false }) {
  return {
    name,
    async open({ wrk, nodeArgs }) {
      const server = await startServer(nodeArgs)
      try {
        const target = await openTarget({ port: server.port, path: server.path ?? '/mcp', era })
        const size = await probeUntilRight(target, message, expect)
        const load = wrk
          ? createWrkLoad({ target, message, connections, size })
          : await createNodeLoad({ target, message, expect, connections, timed })
        const sample = async (ms) => {
          const before = cpuMicroseconds(server.pid)
          const counted = await load.sample(ms)
          return rates({ ...counted, cpu: cpuMicroseconds(server.pid) - before })
        }
        return { sample, close: () => Promise.all([load.close(), server.close()]) }
      } catch (error) {
        await server.close()
        throw new Error(`${error.message}\n${server.output().slice(-500)}`)
      }
    },
  }
}

async function createNodeLoad(options) {
  const worker = await startWorker(join(BENCH, 'load/http-load.mjs'), options)
  return { sample: (ms) => worker.tell({ ms }), close: worker.close }
}

/** A server that is one of our programs. */
export function serve(file, ...args) {
  return (nodeArgs) => startHttpServer({ args: [...nodeArgs, program(file), ...args] })
}
