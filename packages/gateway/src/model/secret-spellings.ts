const JSON_LEVELS = 4
/** Fewer characters of base64 would be found in other texts by chance. */
const LEAST_BASE64 = 8

const HTML: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** How a secret may be written by programs that repeat it: as it is, in a URL, in JSON, in HTML, in hexadecimal and in base64. */
export function spellingsOf(secret: string): string[] {
  const json = inJson(secret)
  const url = percentEncoded(secret)
  const lower = url.replaceAll(/%[\dA-F]{2}/g, (sign) => sign.toLowerCase())
  const form = url.replaceAll('%20', '+')
  const html = secret.replaceAll(/[&<>"']/g, (sign) => HTML[sign]!)
  const all = [secret, url, lower, form, ...json, json[0]!.replaceAll('/', String.raw`\/`)]
  all.push(html, html.replaceAll('/', '&#x2F;'), Buffer.from(secret).toString('hex'))
  return [...new Set([...all, ...inBase64(secret)])]
}

/** Once, and again for JSON in JSON: a message in a text in a log. */
function inJson(secret: string): string[] {
  const all: string[] = []
  for (let text = secret; all.length < JSON_LEVELS; ) {
    text = JSON.stringify(text).slice(1, -1)
    all.push(text)
  }
  return all
}

function percentEncoded(text: string): string {
  try {
    return encodeURIComponent(text)
  } catch {
    // Half of a surrogate pair has no form in a URL.
    return text
  }
}

/** The part of a secret's base64 that is the same wherever it begins, as in a `Basic` header. */
function inBase64(secret: string): string[] {
  const bytes = Buffer.from(secret)
  return [0, 1, 2].flatMap((before) => {
    const shifted = Buffer.concat([Buffer.alloc(before), bytes])
    const from = Math.ceil((before * 8) / 6)
    const to = Math.floor((shifted.length * 8) / 6)
    const own = shifted.toString('base64').slice(from, to)
    return own.length < LEAST_BASE64 ? [] : [own, own.replaceAll('+', '-').replaceAll('/', '_')]
  })
}
