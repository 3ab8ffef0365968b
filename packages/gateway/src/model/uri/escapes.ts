/** Control characters, and invisible characters: marks of direction, joiners, soft hyphens, tags. */
export const UNSEEN: RegExp = /[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u2028\u2029]/gu

const ESCAPES = /(?:%[0-9a-f]{2})+/gi
const MAX_ROUNDS = 8
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

interface Settled {
  readonly text: string
  /** Holds an escape that stands for no character. */
  readonly isBroken: boolean
}

/** One spelling per character: needless escapes are decoded, others upper case, Unicode composed. */
export function normaliseEscapes(text: string): Settled {
  let isBroken = /\p{Surrogate}/u.test(text) || /%(?![0-9a-f]{2})/i.test(text)
  const opened = text.replace(/%(?![0-9a-f]{2})/gi, '%25').replace(ESCAPES, (run) => {
    const decoded = decodeRun(run)
    if (decoded === undefined) {
      isBroken = true
      return run.toUpperCase()
    }
    return decoded.replace(/[\u0000-\u007f]/g, (one) => (/[\w.~!'()-]/.test(one) ? one : escaped(one)))
  })
  const composed = opened.normalize('NFC').replace(/[ "<>\\^`|]/g, escaped)
  return { text: composed, isBroken }
}

/** Decodes until nothing is left to decode. */
export function decodeFully(text: string): { text: string; rounds: number; hidden: boolean } {
  let current = text
  let rounds = 0
  for (; rounds < MAX_ROUNDS; rounds++) {
    const next = current.replace(ESCAPES, (run) => decodeRun(run) ?? run)
    if (next === current) break
    current = next
  }
  const seen = current.replace(UNSEEN, '')
  return { text: seen, rounds, hidden: seen !== current }
}

function decodeRun(run: string): string | undefined {
  const bytes = Uint8Array.from(run.slice(1).split('%'), (hex) => Number.parseInt(hex, 16))
  try {
    return strict.decode(bytes)
  } catch {
    return undefined
  }
}

function escaped(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
}
