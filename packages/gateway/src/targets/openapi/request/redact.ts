/** Too short to be a secret worth hiding: replacing every `a` would only destroy the message. */
const LEAST_CHARACTERS = 6

/** Replaces secrets in a text, also percent-encoded: APIs echo what they were sent. */
export function redact(text: string, secrets: readonly string[]): string {
  const spellings = secrets
    .filter((secret) => secret.length >= LEAST_CHARACTERS)
    .flatMap((secret) => [secret, encodeURIComponent(secret)])
  return spellings
    .sort((a, b) => b.length - a.length)
    .reduce((clean, secret) => clean.replaceAll(secret, '[redacted]'), text)
}
