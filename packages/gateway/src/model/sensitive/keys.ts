import { JSON_WEB_TOKEN, PRIVATE_KEY, VENDOR_KEY } from './known-keys.ts'
import type { Detector } from './detector.ts'
import { hasRun, WIDE, WORD } from './first-look.ts'

export const jwt: Detector = { name: 'jwt', mayFind: (text) => text.includes('eyJ'), pattern: JSON_WEB_TOKEN }

/** Secrets of AWS have no form of their own. A word in front of them says what they are. */
const AWS_SECRET = String.raw`(?<![\w+/])[A-Za-z\d+/]{40}(?![\w+/=])`
const AWS_WORD = /aws|secret[\s_-]?access[\s_-]?key/i
const ONLY_AWS = new RegExp(`^${AWS_SECRET}$`)

export const vendorKey: Detector = {
  name: 'vendor-key',
  // The shortest are those of Slack, and those of Stripe that have signs of base64 in them.
  mayFind: (text) => hasRun(text, 15, WORD) || hasRun(text, 26, WIDE),
  pattern: new RegExp(`${VENDOR_KEY.source}|${AWS_SECRET}`, 'g'),
  accepts: (match, before) => !ONLY_AWS.test(match) || AWS_WORD.test(before),
}

export const privateKey: Detector = {
  name: 'private-key',
  mayFind: (text) => text.includes('PRIVATE KEY'),
  pattern: PRIVATE_KEY,
}

const LEAST_ENTROPY = 4
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

/** Words that look random. Hashes, identifiers and paths are not secrets. */
export const highEntropy: Detector = {
  name: 'high-entropy',
  mayFind: (text) => hasRun(text, 24, WIDE),
  pattern: /(?<![\w+/=-])[A-Za-z\d+/_-]{24,512}={0,2}(?![\w+/=-])/g,
  accepts: (match) =>
    /[a-z]/.test(match) &&
    /[A-Z]/.test(match) &&
    /\d/.test(match) &&
    !UUID.test(match) &&
    !/[A-Za-z]{12}/.test(match) &&
    (match.match(/[/_-]/g)?.length ?? 0) * 6 <= match.length &&
    entropyOf(match) >= LEAST_ENTROPY,
}

/** Bits in a character, by how often each occurs. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>()
  for (const sign of text) counts.set(sign, (counts.get(sign) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length)
  return bits
}
