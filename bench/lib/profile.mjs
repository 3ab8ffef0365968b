// node bench/lib/profile.mjs FILE.cpuprofile|FOLDER [COUNT]: where the time went, by function. Of a folder the profile
// of the busiest thread is read.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'

/** The functions of a CPU profile by the time spent in themselves, most first. */
export function hottest({ nodes, samples, timeDeltas }) {
  const byId = new Map(nodes.map((node) => [node.id, node.callFrame]))
  const times = new Map()
  let total = 0
  samples.forEach((id, index) => {
    const { functionName, url, lineNumber } = byId.get(id)
    const name = `${functionName || '(anonymous)'} ${url && `${basename(url)}:${lineNumber + 1}`}`.trim()
    if (name === '(idle)') return
    total += timeDeltas[index]
    times.set(name, (times.get(name) ?? 0) + timeDeltas[index])
  })
  return [...times].map(([name, time]) => ({ name, share: time / total })).sort((a, b) => b.share - a.share)
}

/** The profile of the thread that did most. */
function busiest(path) {
  if (!statSync(path).isDirectory()) return JSON.parse(readFileSync(path, 'utf8'))
  const profiles = readdirSync(path).map((name) => JSON.parse(readFileSync(join(path, name), 'utf8')))
  return profiles.sort((a, b) => busySamples(b) - busySamples(a))[0]
}

function busySamples({ nodes, samples }) {
  const idle = nodes.find(({ callFrame }) => callFrame.functionName === '(idle)')?.id
  return samples.filter((id) => id !== idle).length
}

if (import.meta.filename === process.argv[1]) {
  const [path, count = '40'] = process.argv.slice(2)
  for (const { name, share } of hottest(busiest(path)).slice(0, Number(count)))
    console.log(`${(share * 100).toFixed(1).padStart(5)} %  ${name}`)
}
