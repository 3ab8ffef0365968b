export type Piece =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'env'; readonly name: string; readonly fallback: string | undefined }
  | { readonly type: 'file'; readonly path: string }
  /** `${…}` of a kind that the gateway does not know; it is left as it is. */
  | { readonly type: 'unknown'; readonly text: string }

/** Takes `${env:NAME}`, `${env:NAME:-default}`, `${file:PATH}` and the escape `$${` apart from plain text. */
export function parseReferences(text: string): Piece[] {
  const pieces: Piece[] = []
  let plain = ''
  let at = 0
  for (const match of text.matchAll(/\$\$\{|\$\{([^}]*)\}/g)) {
    plain += text.slice(at, match.index)
    at = match.index + match[0].length
    if (match[0] === '$${') {
      plain += '${'
      continue
    }
    if (plain !== '') pieces.push({ type: 'text', text: plain })
    plain = ''
    pieces.push(parseReference(match[1]!, match[0]))
  }
  plain += text.slice(at)
  if (plain !== '' || pieces.length === 0) pieces.push({ type: 'text', text: plain })
  return pieces
}

function parseReference(inside: string, whole: string): Piece {
  const env = /^env:([^:]+?)(?::-(.*))?$/s.exec(inside)
  if (env) return { type: 'env', name: env[1]!, fallback: env[2] }
  const file = /^file:(.+)$/s.exec(inside)
  return file ? { type: 'file', path: file[1]!.trim() } : { type: 'unknown', text: whole }
}

/** Advice for a reference that only a client understands; undefined for other text. */
export function adviseReference(text: string): string | undefined {
  const variable = /^\$\{([A-Za-z_]\w*)(:-.*)?\}$/s.exec(text)
  if (variable && !['workspaceFolder', 'userHome', 'pathSeparator'].includes(variable[1]!)) {
    return `For the environment write \${env:${variable[1]}${variable[2] ?? ''}}; for plain text write $${text}`
  }
  if (/^\$\{(input|command|config):/.test(text)) {
    return 'Only an editor can ask for this: refer to ${env:NAME} or ${file:PATH} instead'
  }
  return /^\$\{(workspaceFolder|userHome|pathSeparator|\/)/.test(text)
    ? 'Only an editor knows this: write the path, which may be relative to this file or start with ~/'
    : undefined
}
