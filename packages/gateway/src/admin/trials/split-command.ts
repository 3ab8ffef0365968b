export type SplitCommand =
  | { readonly ok: true; readonly words: readonly string[]; readonly env: Readonly<Record<string, string>> }
  | { readonly ok: false; readonly reason: string }

/** Splits a command line like a shell; refuses pipes, redirections and substitutions, which need a shell. */
export function splitCommand(line: string): SplitCommand {
  const text = line
    .trim()
    .replace(/^[$>%]\s+/, '')
    .replaceAll(/\\\r?\n\s*/g, ' ')
  const words: string[] = []
  let word: string | undefined
  let quote: string | undefined
  for (let at = 0; at < text.length; at++) {
    const letter = text[at]!
    if (quote !== undefined) {
      if (letter === quote) quote = undefined
      else if (letter === '\\' && quote === '"' && /["\\$`]/.test(text[at + 1] ?? '')) word += text[++at]!
      else word += letter
    } else if (letter === '"' || letter === "'") {
      quote = letter
      word ??= ''
    } else if (/\s/.test(letter)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else if (/[|;<>]/.test(letter) || (letter === '&' && /[\s&]|$/.test(text[at + 1] ?? ''))) {
      return { ok: false, reason: `"${letter}" needs a shell, and the gateway uses none` }
    } else if (letter === '`' || text.startsWith('$(', at)) {
      return { ok: false, reason: 'Commands inside commands need a shell, and the gateway uses none' }
    } else if (letter === '\\' && /[\s"'\\$]/.test(text[at + 1] ?? '')) {
      word = (word ?? '') + text[++at]!
    } else {
      word = (word ?? '') + letter
    }
  }
  if (quote !== undefined) return { ok: false, reason: `A ${quote} is not closed` }
  if (word !== undefined) words.push(word)
  return withEnvironment(words)
}

function withEnvironment(words: readonly string[]): SplitCommand {
  const env: Record<string, string> = {}
  let first = words[0] === 'env' ? 1 : 0
  for (; first < words.length; first++) {
    const assigned = /^([A-Za-z_]\w*)=(.*)$/s.exec(words[first]!)
    if (!assigned) break
    env[assigned[1]!] = referring(assigned[2]!)
  }
  return { ok: true, words: words.slice(first).map(referring), env }
}

/** `$NAME` and `${NAME}` are the shell's; the configuration writes them `${env:NAME}`. */
function referring(word: string): string {
  return word.replaceAll(
    /\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/g,
    (_, bare, braced) => `\${env:${bare ?? braced}}`,
  )
}
