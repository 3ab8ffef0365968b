// node bench/lib/profile.mjs FILE.cpuprofile [COUNT]: where the time went, by function.
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'

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

if (import.meta.filename === process.argv[1]) {
  const [file, count = '40'] = process.argv.slice(2)
  for (const { name, share } of hottest(JSON.parse(readFileSync(file, 'utf8'))).slice(0, Number(count)))
    console.log(`${(share * 100).toFixed(1).padStart(5)} %  ${name}`)
}
