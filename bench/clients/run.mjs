// A client under test, in a process of its own: so many calls at a time, each made when another has ended.
// `work` says whether calls are counted, or the notifications about progress that they bring.
// It is told `{ ms }` by the bench and answers `{ count, ms, cpu }`, with the CPU time of this process.
import { options } from '../load/options.mjs'

const { file, inFlight, work = 'call', perCall = 1, ...where } = options
const TEXT = 'to be or not to be'

const once = {
  async call(client) {
    const text = await client.call(TEXT)
    if (text !== TEXT) throw new Error(`a wrong answer: ${text}`)
  },
  async progress(client) {
    const seen = await client.progress(TEXT)
    if (seen !== perCall) throw new Error(`${seen} notifications instead of ${perCall}`)
  },
}

async function load(client, ms) {
  const cpu = process.cpuUsage()
  const began = performance.now()
  const end = began + ms
  let count = 0
  const caller = async () => {
    while (performance.now() < end) {
      await once[work](client)
      count += perCall
    }
  }
  await Promise.all(Array.from({ length: inFlight }, caller))
  const { user, system } = process.cpuUsage(cpu)
  return { count, ms: performance.now() - began, cpu: user + system }
}

const fail = (error) => process.send({ error: error.stack }, () => process.exit(1))
process.on('uncaughtException', fail)
const { connectClient } = await import(file)
const client = await connectClient(where)
await once[work](client)
process.on('message', ({ ms }) => load(client, ms).then((counted) => process.send(counted), fail))
process.once('SIGTERM', () => process.exit(0))
process.send({ ready: true })
