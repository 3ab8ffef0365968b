import { describe, expect, it } from 'vitest'
import { hideCredentials, hideShapes } from './hide-credentials.ts'

describe('hideCredentials', () => {
  it.each([
    ['postgres://u:pw@db/app failed', 'postgres://[redacted]@db/app failed'],
    ['amqp://u:p/w#x@mq:5672/', 'amqp://[redacted]@mq:5672/'],
    ['npx server --api-key abc --verbose', 'npx server --api-key [redacted] --verbose'],
    ['server --token=abc -v', 'server --token=[redacted] -v'],
    [`run --password "two words" x`, 'run --password [redacted] x'],
    ['Authorization: Bearer abcdef', 'Authorization: [redacted]'],
    ['{"headers":{"x-api-key":"abc123"},"n":1}', '{"headers":{"x-api-key":[redacted]},"n":1}'],
    ['GET /x?api_key=abcdef&page=2', 'GET /x?api_key=[redacted]&page=2'],
    ['DB_PASSWORD=hunter2 NODE_ENV=production', 'DB_PASSWORD=[redacted] NODE_ENV=production'],
    ['sent Bearer a1b2c3d4 to it', 'sent Bearer [redacted] to it'],
    ['key ghp_0123456789abcdefghij0123 leaked', 'key [redacted] leaked'],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl', '[redacted]'],
  ])('%s', (text, shown) => {
    expect(hideCredentials(text)).toBe(shown)
    expect(hideCredentials(shown)).toBe(shown)
  })

  it.each([
    'http://localhost:3000/users/@me',
    'https://example.com/a?b=c',
    'Unexpected token } in JSON at position 4',
    'uses basic authentication',
    'npx -y @modelcontextprotocol/server-filesystem --root /data',
    '--token ${env:TOKEN}',
    'progressToken: 12345',
    'connect ECONNREFUSED 127.0.0.1:4000',
  ])('leaves "%s" alone', (text) => expect(hideCredentials(text)).toBe(text))

  it.each([
    ['run --password pl4in now', 'run --password [redacted] now'],
    ['  apiKey: pl4in', '  apiKey: [redacted]'],
  ])('takes out of the words of a target: %s', (text, shown) => expect(hideShapes(text)).toBe(shown))

  it.each([
    'Missing token: please sign in',
    'Give --token or --api-key',
    'max_tokens: 100000 is too many',
    'Bad credentials: try again',
  ])('leaves the words of a target alone: %s', (text) => expect(hideShapes(text)).toBe(text))

  it('takes time in proportion to the length of a hostile text', () => {
    const started = process.cpuUsage()
    const parts = [
      'a-',
      'token',
      'token:"',
      '--key ',
      'a://',
      'http://x:',
      'eyJ.',
      "password='",
      '\\\\\\\\',
      '&#',
      '="',
    ]
    for (const part of parts) hideCredentials(part.repeat(40_000))
    // Of the processor, in milliseconds: a busy machine does not count.
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(5000)
  })
})
