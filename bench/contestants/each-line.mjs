/** Calls back for each line of a stream, and once after the last that one read brought. */
export function eachLine(stream, onLine, onPause = () => {}) {
  let rest = ''
  stream.setEncoding('utf8')
  stream.on('data', (chunk) => {
    let from = 0
    for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', from)) {
      const line = rest + chunk.slice(from, end)
      rest = ''
      from = end + 1
      onLine(line)
    }
    rest += chunk.slice(from)
    onPause()
  })
}
