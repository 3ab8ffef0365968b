// The limit over a pipe: lines in, `JSON.parse`, `JSON.stringify`, lines out – one write for what one read
// brought. It knows of MCP only what the load asks for.
import { answer } from './bare-answer.mjs'

let rest = ''
process.stdin.setEncoding('utf8')
process.stdin.on('data', (chunk) => {
  let from = 0
  let out = ''
  for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', from)) {
    const line = rest + chunk.slice(from, end)
    rest = ''
    from = end + 1
    const reply = answer(JSON.parse(line))
    if (reply !== undefined) out += `${JSON.stringify(reply)}\n`
  }
  rest += chunk.slice(from)
  if (out !== '') process.stdout.write(out)
})
process.stdin.on('end', () => process.exit(0))
