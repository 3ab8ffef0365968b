// A client under test, in a process of its own: so many calls at a time, each made when another has ended.
// It is told `{ ms }` by the bench and answers `{ count, ms, cpu }`, with the CPU time of this process.
const { file, inFlight, ...options } = JSON.parse(process.argv[2])
const TEXT = 'to be or not to be'

async function load(client, ms) {
  const cpu = process.cpuUsage()
  const began = performance.now()
  const end = began + ms
  let count = 0
  const caller = async () => {
    while (performance.now() < end) {
      const text = await client.call(TEXT)
      if (text !== TEXT) throw new Error(`a wrong answer: ${text}`)
      count++
    }
  }
  await Promise.all(Array.from({ length: inFlight }, caller))
  const { user, system } = process.cpuUsage(cpu)
  return { count, ms: performance.now() - began, cpu: user + system }
}

const fail = (error) => process.send({ error: error.stack }, () => process.exit(1))
process.on('uncaughtException', fail)
const { connectClient } = await import(file)
const client = await connectClient(options)
if ((await client.call(TEXT)) !== TEXT) throw new Error('a wrong answer')
process.on('message', ({ ms }) => load(client, ms).then((counted) => process.send(counted), fail))
process.once('SIGTERM', () => process.exit(0))
process.send({ ready: true })
