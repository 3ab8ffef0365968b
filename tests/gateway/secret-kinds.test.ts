import { readdir, readFile, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { run } from '../../packages/gateway/src/cli/captured-io.test.support.ts'
import { currentPlaces } from '../../packages/gateway/src/config/index.ts'
import { createLog } from '../../packages/gateway/src/telemetry/log.ts'
import { SecretScrubber } from '../../packages/gateway/src/telemetry/secret-scrubber.ts'
import { startReceiver } from '../support/otel/receiver.mjs'
import { modernRequest } from '../support/raw-client.ts'
import { adminGateway, type AdminGateway } from '../support/admin-gateway.ts'
import { modelOf } from '../support/start-gateway.ts'

const TELLING = fileURLToPath(new URL('../fixtures/telling-server.mjs', import.meta.url))
const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** What is configured for the target, by where it stands. */
const CONFIGURED = {
  environment: 'pl4nted-environment-value',
  reference: 'pl4nted reference of:two;words',
  envFile: 'pl4nted-env-file-value',
  argument: 'pl4nted-argument',
  argumentWithSign: 'pl4nted-argument-with-sign',
  password: 'pl4nted/pa ss',
  odd: 'pl4nted"quote\\back/slash+plus&and=is',
  // Only the names of these tell what they are.
  short: 'pl4nt77',
  key: 'pl4nt-by-key',
  glued: 'pl4nt-glued',
  numbered: 'pl4nt-numbered',
  pem: `-----BEGIN PRIVATE KEY-----\n${'pl4ntedKey0'.repeat(5)}\n${'pl4ntedKey1'.repeat(5)}\n-----END PRIVATE KEY-----`,
}
const JWT = `eyJhbGciOiJFUzI1NiJ9.${base64('{"sub":"pl4nted"}').replaceAll('=', '')}.pl4ntedSignature`

/** How each of them, and secrets that nobody configured, may be said. The second is what nobody may read again. */
const KINDS: readonly (readonly [kind: string, said: string, unread?: string])[] = [
  ['an environment value', CONFIGURED.environment],
  ['one in capitals', CONFIGURED.environment.toUpperCase()],
  ['one in the middle of a word', `x${CONFIGURED.environment}x`],
  ['one in base64', base64(CONFIGURED.environment), base64(CONFIGURED.environment).slice(0, 12)],
  [
    'one behind a user in base64',
    base64(`me:${CONFIGURED.environment}`),
    base64(`me:${CONFIGURED.environment}`).slice(8, 20),
  ],
  [
    'one in base64url',
    Buffer.from(CONFIGURED.odd).toString('base64url'),
    Buffer.from(CONFIGURED.odd).toString('base64url').slice(0, 12),
  ],
  ['one from a reference', CONFIGURED.reference],
  ['one from a reference, percent-encoded', encodeURIComponent(CONFIGURED.reference)],
  ['one in a form', new URLSearchParams({ a: CONFIGURED.reference }).toString()],
  ['one from an environment file', CONFIGURED.envFile],
  ['an argument', `--api-key ${CONFIGURED.argument}`],
  ['an argument alone', CONFIGURED.argument],
  ['an argument with =', `--token=${CONFIGURED.argumentWithSign}`],
  ['a password of postgres', `postgres://u:${encodeURIComponent(CONFIGURED.password)}@db/x`],
  ['a password of postgres, decoded', CONFIGURED.password],
  ['one with odd characters', CONFIGURED.odd],
  ['one with odd characters, in JSON', JSON.stringify({ x: CONFIGURED.odd })],
  ['one with odd characters, percent-encoded', encodeURIComponent(CONFIGURED.odd)],
  [
    'one with odd characters, in lower percent signs',
    encodeURIComponent(CONFIGURED.odd).replaceAll(/%../g, (x) => x.toLowerCase()),
  ],
  ['a token of GitHub behind a prefix', 'telling_ghp_pl4nted0123456789abcdef0123'],
  ['a short one', `no ${CONFIGURED.short}!`, CONFIGURED.short],
  ['a short one alone', CONFIGURED.short, CONFIGURED.short],
  ['one that is called a key', CONFIGURED.key, CONFIGURED.key],
  ['one with a prefix before its name', CONFIGURED.glued, CONFIGURED.glued],
  ['one with a number behind its name', CONFIGURED.numbered, CONFIGURED.numbered],
  [
    'one with odd characters, in HTML',
    CONFIGURED.odd.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('/', '&#x2F;'),
    'plus&amp;and=is',
  ],
  [
    'one in hexadecimal',
    Buffer.from(CONFIGURED.environment).toString('hex'),
    Buffer.from(CONFIGURED.environment).toString('hex').slice(0, 12),
  ],
  ['a PEM block', CONFIGURED.pem],
  ['a PEM block on one line', CONFIGURED.pem.replaceAll('\n', ' ')],
  ['a line of a PEM block', CONFIGURED.pem.split('\n')[1]!],
  [
    'a PEM block of others',
    `-----BEGIN RSA PRIVATE KEY-----\nMIIpl4ntedOther\nMIIpl4nted\n-----END RSA PRIVATE KEY-----`,
  ],
  ['a PEM block that is cut off', `-----BEGIN EC PRIVATE KEY-----\nMIIpl4ntedCutOff`],
  ['a bearer token', 'Authorization: Bearer pl4nted0123456789'],
  ['a bearer token alone', 'sent Bearer pl4nted.0123456789'],
  ['basic credentials', `Basic ${base64('me:pl4nted-basic')}`, base64('me:pl4nted-basic').slice(0, 16)],
  ['a JWT', JWT, JWT.slice(30, 50)],
  ['a redis URL', 'redis://:pl4ntedredis@cache:6379/0'],
  ['a URL with a user', 'https://pl4nteduser:pl4ntedpw@example.com/x'],
  ['a URL with a token as user', 'https://pl4ntedtoken@example.com/x'],
  ['a key of OpenAI', 'sk-proj-pl4nted0123456789abcd', 'pl4nted0123'],
  ['a key of Anthropic', 'sk-ant-api03-pl4nted0123456789abcd'],
  ['a token of GitHub', 'ghp_pl4nted0123456789abcdef0123'],
  ['a fine-grained token of GitHub', 'github_pat_pl4nted0123456789_abcdef0123'],
  ['a token of GitLab', 'glpat-pl4nted0123456789'],
  ['a token of Slack', 'xoxb-1234-pl4nted0123456789'],
  ['a key of AWS', 'AKIAPL4NTED012345678', 'AKIAPL4NTED'],
  ['a temporary key of AWS', 'ASIAPL4NTED012345678', 'ASIAPL4NTED'],
  ['a key of Google', 'AIzapl4nted0123456789abcdefghij01234'],
  ['a key of Stripe', 'sk_live_pl4nted0123456789abcd'],
  ['a token of npm', 'npm_pl4nted0123456789abcdefghij012345'],
]

/** A name in front tells of a part of these only, up to the first odd character. */
const LONGER: readonly (readonly [kind: string, said: string, unread: string])[] = [
  ['one with odd characters, behind a name in a URL', `https://h/?token=${CONFIGURED.odd}`, 'plus&and=is'],
  ['one with odd characters, behind a name', `password: ${CONFIGURED.odd}`, 'plus&and=is'],
]

/** Secrets that only the name in front of them tells. */
const NAMED: readonly (readonly [kind: string, said: string])[] = [
  ['a field of JSON', '{"password":"pl4ntedField"}'],
  ['a field of JSON in JSON', JSON.stringify('{"client_secret":"pl4ntedField"}')],
  ['a field of YAML', 'bad indentation\n  apiKey: pl4ntedYaml\n  ^'],
  ['a cookie', 'Cookie: session=pl4ntedCookie; other=pl4ntedOther'],
  ['a cookie that is set', 'set-cookie: sid=pl4ntedCookie; HttpOnly'],
  ['a key in a query', 'GET https://example.com/x?api_key=pl4ntedQuery&y=1'],
  ['a signature in a query', 'https://b.example.com/x?X-Amz-Signature=pl4ntedSignature'],
  ['a variable', 'AWS_SECRET_ACCESS_KEY=pl4nted/Variable+x'],
  ['a flag', 'started: tool --password pl4ntedFlag'],
]

/** Drives terminals, and looks like lines of the gateway. */
const FORGED = 'bad\u001b[2J\u001b]0;owned\u0007\r\n✓ forged\u2028forged\u009b31m\u202eforged\u0000'
const ALL = [...KINDS, ...NAMED, ...LONGER, ['a forged line', FORGED] as const].map(([, said]) => said)

let gateway: AdminGateway
let receiver: Awaited<ReturnType<typeof startReceiver>>
let dir: string
const seen: Record<string, string> = {}

function target(mode: string): object {
  return {
    command: process.execPath,
    args: [
      TELLING,
      join(dir, 'texts.json'),
      ...['--api-key', CONFIGURED.argument, `--token=${CONFIGURED.argumentWithSign}`],
      `postgres://u:${encodeURIComponent(CONFIGURED.password)}@db/x`,
    ],
    env: {
      MODE: mode,
      API_TOKEN: CONFIGURED.environment,
      REF_TOKEN: '${env:REF}',
      ODD_SECRET: CONFIGURED.odd,
      DB_PASSWORD: CONFIGURED.short,
      OPENAI_KEY: CONFIGURED.key,
      PGPASSWORD: CONFIGURED.glued,
      DEPLOY_TOKEN_2: CONFIGURED.numbered,
      PEM_KEY: CONFIGURED.pem,
    },
    envFile: join(dir, 'secrets.env'),
    era: 'legacy',
    restart: { minDelay: 10, maxDelay: 20 },
  }
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gantry-secrets-'))
  await writeFile(join(dir, 'texts.json'), JSON.stringify(ALL))
  await writeFile(join(dir, 'secrets.env'), `FILE_TOKEN=${CONFIGURED.envFile}\n`)
  const mcpServers = { telling: target('tools'), crashing: target('crash'), listless: target('list') }
  receiver = await startReceiver()
  gateway = await adminGateway(
    {
      mcpServers,
      catalog: { deadline: 3000 },
      audit: { bodies: true, lists: true, otlp: { url: `${receiver.url}/v1/logs` } },
      telemetry: { otlp: { endpoint: receiver.url, share: 1, bodies: true, interval: 1000 } },
    },
    { env: { REF: CONFIGURED.reference } },
  )
  const file = join(dir, 'recording.jsonl')
  await gateway.api.call('startRecording', { params: { name: 'telling' }, body: { file } })
  const callers: string[] = []
  const endpoint = `${gateway.url}/mcp`
  const call = async (at: number): Promise<string[]> => {
    const answers = ['refuse', 'fail', 'garble'].map((name) =>
      modernRequest(endpoint, 'tools/call', { name: `telling_${name}`, arguments: { at } }),
    )
    return (await Promise.all(answers)).map(({ text }) => text)
  }
  for (const at of ALL.keys()) callers.push(...(await call(at)))
  // What callers say themselves, and ask for.
  for (const said of ALL) {
    const given = {
      name: 'telling_refuse',
      arguments: { at: 0, said, deep: [{ said }], [said]: { [`${said} `]: [1] } },
    }
    await modernRequest(endpoint, 'tools/call', given, { headers: headersWith(said) })
  }
  callers.push((await modernRequest(endpoint, 'tools/list', {})).text)
  callers.push((await modernRequest(endpoint, 'tools/call', { name: 'crashing_x', arguments: {} })).text)
  callers.push((await modernRequest(endpoint, 'server/discover', {})).text)
  seen.callers = callers.join('\n')
  await gateway.api.call('stopRecording', { params: { name: 'telling' } })
  seen.recording = await readFile(file, 'utf8')
  seen.modes = String((await stat(file)).mode & 0o777)
  const answers: unknown[] = []
  const { records } = await gateway.api.call('wire', {})
  answers.push(records)
  for (const { id } of records) answers.push(await gateway.api.call('wireDetail', { params: { id } }))
  const paths = [
    'overview',
    'targets',
    'catalog?refresh=true',
    'catalog/changes',
    'wire/export',
    'config',
    'clients',
  ]
  for (const name of ['telling', 'crashing', 'listless']) {
    paths.push(
      `targets/${name}`,
      `targets/${name}/stderr?limit=1000`,
      `why?name=${name}`,
      `why?name=${name}_refuse`,
    )
  }
  for (const path of paths)
    answers.push(await gateway.fetch(`/api/${path}`).then((response) => response.text()))
  seen.admin = answers
    .map((answer) => (typeof answer === 'string' ? answer : JSON.stringify(answer)))
    .join('\n')
  const places = { ...currentPlaces(), cwd: gateway.dir, env: { ...process.env, REF: CONFIGURED.reference } }
  const commands = [
    ['check'],
    ['doctor', '--messages'],
    ['targets'],
    ['why', 'crashing'],
    ['why', 'listless_x'],
  ]
  const printed: string[] = []
  for (const command of commands) {
    for (const form of [[], ['--json']]) {
      const { out, err } = await run(places, [...command, ...form, '--config', gateway.file])
      printed.push(out, err)
    }
  }
  seen.commands = printed.join('\n')
  await gateway.gateway.audit!.flush()
  const { folder } = gateway.gateway.audit!.settings
  const files = await readdir(folder)
  seen.audit = (await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')))).join('\n')
  seen.metrics = await gateway.fetch('/metrics').then((response) => response.text())
  // The last call: what was made before it is sent before it.
  await vi.waitFor(() => {
    expect(receiver.spans.some(({ name }) => name === 'server/discover')).toBe(true)
    expect(receiver.metrics.length).toBeGreaterThan(0)
    expect(received()).toContain('gantry.audit')
  }, 60_000)
  seen['what a collector gets'] = received()
  const model = await modelOf({
    mcpServers: {
      telling: {
        ...target('x'),
        env: { ...(target('x') as { env: object }).env, REF_TOKEN: CONFIGURED.reference },
      },
    },
  })
  const scrubber = new SecretScrubber(model)
  for (const format of ['text', 'json'] as const) {
    const lines: string[] = []
    const log = createLog({
      level: 'debug',
      format,
      scrub: (text) => scrubber.scrubText(text),
      write: (line) => lines.push(line),
    })
    for (const said of ALL) {
      log('error', `it said ${said}`, { fact: said, nested: { list: [said], [said]: 1 } })
      // Cut at every place of the secret.
      for (let before = 3900; before < 4000; before += 7)
        log('error', `${'x '.repeat(before / 2)}${said}${' y'.repeat(60)}`)
    }
    seen[`log as ${format}`] = lines.join('\n')
  }
})

/** Spans, metrics and audit events, as they came: their texts stand in protobuf as they are. */
function received(): string {
  return receiver.raw.map((body) => body.toString()).join('\n')
}

/** Headers hold no lines, and Latin letters only. */
function headersWith(said: string): Record<string, string> {
  return /^[\x20-\x7e]*$/.test(said) ? { 'x-api-key': said, baggage: `secret=${said}` } : {}
}

afterAll(async () => {
  await gateway?.close()
  await receiver?.close()
  await rm(dir, { recursive: true, force: true })
})

function secretIn(said: string): string {
  return /pl4nted[\w-]*/i.exec(said)![0]
}

describe.each([
  'callers',
  'audit',
  'admin',
  'commands',
  'recording',
  'metrics',
  'what a collector gets',
  'log as text',
  'log as json',
])('%s', (way) => {
  // The console and the commands look for names first.
  const longer = /admin|commands/.test(way) ? [] : LONGER
  const kinds: typeof KINDS = [...KINDS, ...NAMED, ...longer]
  it.each(kinds)('does not show %s', (...[, said, unread = secretIn(said!)]) => {
    const at = seen[way]!.toLowerCase().indexOf(unread.toLowerCase())
    expect(at < 0 ? '' : seen[way]!.slice(Math.max(0, at - 80), at + 60)).toBe('')
  })

  it('has no control characters, and no lines that a target made', () => {
    // Protobuf has no lines.
    if (way === 'what a collector gets') return
    const lines = seen[way]!.split('\n')
    expect(lines.filter((line) => /^\W{0,4}forged/.test(line))).toEqual([])
    // What programs read is JSON, or has no texts of targets.
    if (!/commands|log/.test(way)) return
    expect(lines.filter((line) => /[\u0000-\u001f\u007f-\u009f\u2028-\u202e]/.test(line))).toEqual([])
  })

  it('shows no part of a configured secret', () => {
    const parts = [...new Set(seen[way]!.match(/.{0,40}pl4nt.{0,20}/gi) ?? [])].slice(0, 5)
    expect(parts).toEqual([])
  })
})

it('what is written down is for its owner alone', async () => {
  expect(seen.modes).toBe(String(0o600))
  const open: string[] = []
  const state = join(gateway.dir, 'state')
  for (const entry of await readdir(state, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const { mode } = await stat(path)
    if ((mode & 0o077) !== 0) open.push(`${path} ${(mode & 0o777).toString(8)}`)
  }
  expect(open).toEqual([])
  expect((await stat(state)).mode & 0o077).toBe(0)
})
