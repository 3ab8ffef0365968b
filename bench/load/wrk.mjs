import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { requestText } from './http-request.mjs'
import { FIRST_ID } from './messages.mjs'

// wrk does not look into answers. Their mean size tells whether they were the ones that were checked before.
const SIZE_TOLERANCE = 0.1

/** A load by wrk, which costs less of the machine than any that is written in JavaScript. */
export function createWrkLoad({ target, message, connections, size }) {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-bench-'))
  const script = join(folder, 'request.lua')
  writeFileSync(script, luaOf(requestText(target, message)))

  async function sample(ms) {
    const seconds = Math.max(1, Math.round(ms / 1000))
    const url = `http://127.0.0.1:${target.port}${target.path}`
    const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '30s', '-s', script, url]
    const output = await outputOf('wrk', args)
    const [count, microseconds, bytes, errors, p50, p99] = output
      .match(/^RESULT (.*)$/m)[1]
      .split(' ')
      .map(Number)
    if (errors > 0) throw new Error(`wrk counted ${errors} errors`)
    // Answers that were on their way at the end count with their bytes only.
    if (Math.abs(bytes - count * size) > count * size * SIZE_TOLERANCE + connections * size)
      throw new Error(`${count} answers have ${bytes} bytes, where one should have ${size}`)
    return { count, ms: microseconds / 1000, p50: p50 / 1000, p99: p99 / 1000 }
  }

  return { sample, close: () => rmSync(folder, { recursive: true, force: true }) }
}

/** Every request has an id of its own: a session may have only one with the same at a time. */
function luaOf(text) {
  const [head, tail] = text.split(String(FIRST_ID)).map((part) => JSON.stringify(part).slice(1, -1))
  return `local head, tail, id = "${head}", "${tail}", ${FIRST_ID}
request = function()
  id = id + 1
  return head .. string.format("%d", id) .. tail
end
done = function(summary, latency)
  local e = summary.errors
  local errors = e.connect + e.read + e.write + e.status + e.timeout
  io.write(string.format("RESULT %d %d %d %d %d %d\\n", summary.requests, summary.duration, summary.bytes,
    errors, latency:percentile(50), latency:percentile(99)))
end
`
}

function outputOf(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
    })
    child.on('error', reject)
    child.on('close', (code) =>
      code === 0 ? resolve(text) : reject(new Error(`${command} ended with ${code}: ${text}`)),
    )
  })
}
