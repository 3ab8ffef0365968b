import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** The memory that is really in use: after everything that nobody holds has been collected. */
export async function heapInUse(): Promise<number> {
  // What finalizers and closed sockets hold goes one turn later.
  for (let turn = 0; turn < 3; turn++) {
    collect()
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  collect()
  return process.memoryUsage().heapUsed
}
