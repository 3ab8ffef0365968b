import { describe, expect, it } from 'vitest'
import { configFromValue, currentPlaces } from '../config/index.ts'
import { isSecretName, redacting } from '../telemetry/redacting.ts'
import { SecretScrubber } from './redact.ts'

describe('isSecretName', () => {
  it.each([
    'Authorization',
    'x-api-key',
    'apiKey',
    'API_KEY',
    'clientSecret',
    'DB_PASSWORD',
    'access_token',
    'Cookie',
    'set-cookie',
    'token',
    'privateKey',
    'githubToken',
  ])('%s is a credential', (name) => expect(isSecretName(name)).toBe(true))
  it.each([
    'progressToken',
    'nextToken',
    'keyboard',
    'maxTokens2',
    'tokenizer',
    'name',
    'secretary',
    'author',
  ])('%s is none', (name) => expect(isSecretName(name)).toBe(false))
})

describe('redacting', () => {
  it('blanks texts by their names and leaves schemas alone', () => {
    const value = {
      headers: { Authorization: 'Bearer x' },
      properties: { password: { type: 'string' } },
      maxTokens: 5,
    }
    expect(JSON.parse(JSON.stringify(value, redacting))).toEqual({
      headers: { Authorization: '[redacted]' },
      properties: { password: { type: 'string' } },
      maxTokens: 5,
    })
  })
})

describe('SecretScrubber', () => {
  async function scrubber(mcpServers: Record<string, object>, env = {}): Promise<SecretScrubber> {
    const loaded = await configFromValue({ mcpServers }, { places: { ...currentPlaces(), env } })
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems))
    return new SecretScrubber(loaded.model)
  }

  it('takes secrets out wherever they turn up, and says where they came from', async () => {
    const it = await scrubber(
      {
        a: {
          command: 'x',
          args: ['--api-key=plainly-written', '${env:ARG}'],
          env: { MY_TOKEN: 'hush-hush-hush' },
        },
        b: {
          url: 'https://user:pass-in-url@host/mcp?key=query-secret',
          headers: { Authorization: 'Bearer header-secret' },
        },
      },
      { ARG: 'from-the-environment' },
    )
    const text = 'plainly-written from-the-environment hush-hush-hush pass-in-url query-secret header-secret'
    expect(it.scrub(text)).toBe('[redacted] ${env:ARG} [redacted] [redacted] [redacted] [redacted]')
  })

  it('finds them inside JSON, escapes and all', async () => {
    const it = await scrubber({ a: { command: 'x', env: { PASSWORD: 'quote"back\\slash' } } })
    const text = it.scrub(JSON.stringify({ message: 'it is quote"back\\slash!' }))
    expect(JSON.parse(text)).toEqual({ message: 'it is [redacted]!' })
  })

  it('leaves settings that are no secrets readable', async () => {
    const it = await scrubber({
      a: { command: 'x', env: { NODE_ENV: 'production', PORT: '3000', DATA: '/var/lib/data' } },
    })
    const text = 'production 3000 /var/lib/data'
    expect(it.scrub(text)).toBe(text)
  })

  it('does nothing without secrets', async () => {
    expect((await scrubber({ a: { command: 'x' } })).scrub('text')).toBe('text')
  })
})
