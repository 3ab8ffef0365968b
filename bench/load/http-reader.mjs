const HEAD_END = Buffer.from('\r\n\r\n')
const LAST_CHUNK = '0\r\n\r\n'

/**
 * Finds where answers end on a connection that carries one at a time. It looks at no more than it must:
 * lengths while bytes arrive, and the text only when `read` is asked for it.
 */
export function createHttpReader(onAnswer) {
  let parts = []
  let size = 0
  /** The size of the whole answer; undefined before its head is there, NaN when it comes in chunks. */
  let whole

  function add(bytes) {
    parts.push(bytes)
    size += bytes.length
    if (whole === undefined) whole = sizeOf(parts.length === 1 ? bytes : join())
    if (whole === undefined || !(Number.isNaN(whole) ? endsInChunks(bytes) : size >= whole)) return
    const answer = { size, read: reader(parts) }
    parts = []
    size = 0
    whole = undefined
    onAnswer(answer)
  }

  function join() {
    parts = [Buffer.concat(parts)]
    return parts[0]
  }

  function endsInChunks(last) {
    const end = last.length >= LAST_CHUNK.length ? last : join()
    return end.latin1Slice(end.length - LAST_CHUNK.length) === LAST_CHUNK
  }

  return { add }
}

function sizeOf(bytes) {
  const end = bytes.indexOf(HEAD_END)
  if (end === -1) return undefined
  const length = /\r\ncontent-length: *(\d+)/i.exec(bytes.latin1Slice(0, end))
  if (length) return end + HEAD_END.length + Number(length[1])
  return /^HTTP\/1.1 (202|204)/.test(bytes.latin1Slice(0, 12)) ? end + HEAD_END.length : Number.NaN
}

function reader(parts) {
  return () => {
    const bytes = Buffer.concat(parts)
    const end = bytes.indexOf(HEAD_END)
    const head = bytes.latin1Slice(0, end)
    const body = bytes.subarray(end + HEAD_END.length)
    const text = (/\r\ntransfer-encoding: chunked/i.test(head) ? joinChunks(body) : body).toString()
    return {
      status: Number(head.slice(9, 12)),
      session: /\r\nmcp-session-id: *(\S+)/i.exec(head)?.[1],
      messages: text === '' ? [] : messagesIn(text),
    }
  }
}

function joinChunks(body) {
  const chunks = []
  for (let at = 0; ; ) {
    const end = body.indexOf('\r\n', at)
    const size = Number.parseInt(body.latin1Slice(at, end), 16)
    if (!(size > 0)) return Buffer.concat(chunks)
    chunks.push(body.subarray(end + 2, end + 2 + size))
    at = end + 2 + size + 2
  }
}

/** An answer is one JSON text, or events of which some carry one. */
function messagesIn(text) {
  if (text.startsWith('{')) return [JSON.parse(text)]
  const data = text.matchAll(/^data: *(\{.*)$/gm)
  const messages = [...data].map(([, json]) => JSON.parse(json))
  if (messages.length === 0) throw new Error(`not a message: ${text.slice(0, 200)}`)
  return messages
}
