import { describe, expect, it } from 'vitest'
import { configFromValue, currentPlaces } from '../config/index.ts'
import { hideShapes, isSecretName, type GatewayModel } from '../model/index.ts'
import { redacting } from './redacting.ts'
import { SecretScrubber } from './secret-scrubber.ts'

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
  async function modelOf(mcpServers: Record<string, object>, env = {}): Promise<GatewayModel> {
    const loaded = await configFromValue({ mcpServers }, { places: { ...currentPlaces(), env } })
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems))
    return loaded.model
  }

  async function scrubber(mcpServers: Record<string, object>, env = {}): Promise<SecretScrubber> {
    return new SecretScrubber(await modelOf(mcpServers, env))
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

  it('knows the passwords of URLs among the arguments and in the environment', async () => {
    const it = await scrubber(
      {
        a: {
          command: 'x',
          args: ['postgres://reader:p/w#1long@db/app'],
          env: { DSN: '${env:DSN}' },
        },
      },
      { DSN: 'redis://default:r%40dis-pass@cache:6379' },
    )
    expect(it.scrub('cannot log in with p/w#1long... r%40dis-pass r@dis-pass')).toBe(
      'cannot log in with [redacted]... [redacted] [redacted]',
    )
  })

  it('finds short values in plain text where they are words, and leaves JSON alone', async () => {
    const it = await scrubber({ a: { command: 'x', args: ['--password', 'type'] } })
    expect(it.scrub('{"type":"text"}')).toBe('{"type":"text"}')
    expect(it.scrubText('wrong: type; retyped types')).toBe('wrong: [redacted]; retyped types')
  })

  it('finds short values, and numbers, in the texts of JSON, which stays valid', async () => {
    const it = await scrubber({
      a: { command: 'x', env: { PASSWORD: 'hunter2', PIN_TOKEN: 1234567890, USE_AUTH: 'true' } },
      b: { command: 'y', env: { PASSWORD: 'idle', OTHER_PASSWORD: 'Exactly' } },
    })
    const said = {
      hunter2: 'is hunter2.',
      HUNTER2: [{ hunter2: 1 }],
      exactly: ['hunter2', 1234567890, true, 'true'],
      state: 'idle',
    }
    expect(JSON.parse(it.toJson(said))).toEqual({
      '[redacted]': 'is [redacted].',
      '[redacted] 2': [{ '[redacted]': 1 }],
      exactly: ['[redacted]', '[redacted]', true, 'true'],
      state: 'idle',
    })
  })

  it.each([
    [['-e', 'GITHUB_TOKEN=planted1'], {}],
    [['--header', 'X-Api-Key: planted1'], {}],
    [['-H', 'Authorization: Bearer planted1'], {}],
    [['https://example.com/sse?api_key=planted1&x=1'], {}],
    [['https://planted1@example.com/sse'], {}],
    [[], { DB: 'Server=db;User=me;Password=planted1;Timeout=3' }],
    [[], { OPENAI_KEY: 'planted1' }],
    [[], { PGPASSWORD: 'planted1' }],
    [[], { X_AUTH: 'planted1' }],
    [[], { GITLAB_PAT: 'planted1' }],
  ])('knows the value by its name in %j %j', async (args, env) => {
    const it = await scrubber({ a: { command: 'x', args, env } })
    expect(it.scrub('it is planted1')).toBe('it is [redacted]')
  })

  it('keeps the secrets of the model before, whose targets may still be ending', async () => {
    const [before, after] = await Promise.all([
      modelOf({ a: { command: 'x', env: { TOKEN: 'the-old-secret' } } }),
      modelOf({ a: { command: 'x', env: { TOKEN: 'the-new-secret' } } }),
    ])
    const it = new SecretScrubber(before)
    it.setModel(after)
    expect(it.scrub('the-old-secret the-new-secret')).toBe('[redacted] [redacted]')
  })

  it('keeps the secrets of all models of a storm of changes', async () => {
    const models = await Promise.all(
      [1, 2, 3, 4].map((count) => modelOf({ a: { command: 'x', env: { TOKEN: `the-secret-${count}` } } })),
    )
    const it = new SecretScrubber(models[0]!)
    for (const model of models.slice(1)) it.setModel(model)
    expect(it.scrub('the-secret-1 the-secret-2 the-secret-4')).toBe('[redacted] [redacted] [redacted]')
  })

  it('finds other spellings: in a URL, in base64 behind anything, in capitals', async () => {
    const secret = 'pa/ss+wörd "7~x'
    const it = await scrubber({ a: { command: 'x', env: { TOKEN: secret } } })
    const lower = encodeURIComponent(secret).replaceAll(/%../g, (sign) => sign.toLowerCase())
    const spellings = [
      ...[encodeURIComponent(secret), lower, secret.toUpperCase(), JSON.stringify(secret).slice(1, -1)],
      JSON.stringify(secret).slice(1, -1).replaceAll('/', String.raw`\/`),
      encodeURIComponent(secret).replaceAll('%20', '+'),
    ]
    for (const text of spellings) expect(it.scrub(`a ${text} b`)).toBe('a [redacted] b')
    for (const user of ['', 'u:', 'me:', 'you:']) {
      for (const form of ['base64', 'base64url'] as const) {
        const text = Buffer.from(`${user}${secret}`).toString(form)
        const shown = it.scrub(text).replace('[redacted]', '')
        expect(Buffer.from(shown, form).toString()).not.toContain('ss')
        expect(shown.length).toBeLessThan(9)
      }
    }
  })

  it.each(['-----BEGIN PRIVATE KEY-----', 'hush…', 'a://', 'password: '])(
    'reads a long text of "%s" in a moment',
    async (part) => {
      const env = Object.fromEntries(
        Array.from({ length: 50 }, (_, at) => [`TOKEN_${at}`, `hush-hush-${at}`]),
      )
      const it = await scrubber({ a: { command: 'x', env } })
      const message = part.repeat(5e6 / part.length)
      const started = process.cpuUsage()
      it.toJson({ message, list: Array.from({ length: 50 }, () => message.slice(0, 60_000)) }, hideShapes)
      it.scrubText(message.slice(0, 200_000))
      // Of the processor, in milliseconds: a busy machine does not count.
      expect(process.cpuUsage(started).user / 1000).toBeLessThan(5000)
    },
  )

  it('does nothing without secrets', async () => {
    expect((await scrubber({ a: { command: 'x' } })).scrub('text')).toBe('text')
  })
})

it('forgets no token of many people, and is not slower for it', async () => {
  const loaded = await configFromValue({}, { overrides: {} })
  if (!loaded.ok) throw new Error('The configuration is empty')
  const scrubber = new SecretScrubber(loaded.model)
  const tokens = Array.from({ length: 500 }, (_, index) => `token-of-person-${index}-0a1b2c3d`)
  for (const token of tokens) scrubber.learn(token)
  const said = tokens.map((token) => `refused: Bearer ${token}. https://x.example/${token}`).join('\n')
  expect(scrubber.scrub(said)).not.toMatch(/token-of-person-\d/)
  expect(scrubber.toJson({ tokens })).not.toMatch(/token-of-person-\d/)
  expect(scrubber.scrub('an ordinary-sentence with/some.words')).toBe('an ordinary-sentence with/some.words')
})
