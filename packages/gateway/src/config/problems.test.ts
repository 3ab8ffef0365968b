import { describe, expect, it } from 'vitest'
import { parseConfig } from './load-config.ts'

/** Every problem on one line: `line:column path message | fix`. */
async function problemsOf(text: string, file = '/etc/gantry.json'): Promise<string[]> {
  const places = { platform: 'linux' as const, home: '/home/me', env: {}, cwd: '/' }
  const result = await parseConfig(text, { file, places })
  const problems = result.ok ? result.warnings : result.problems
  return problems.map(
    ({ line, column, path, message, fix }) => `${line}:${column} ${path} ${message} | ${fix ?? ''}`,
  )
}

describe('problems name the line, the path and the fix', () => {
  it('all at once', async () => {
    const text = `{
  "mcpServers": {
    "fs": { "command": "npx", "arg": ["-y"], "start": "eagre" },
    "web": { "url": "example.com", "timeouts": { "idle": "soon" } },
    "both": { "command": "x", "url": "https://x.example" },
    "none": {},
    "a/b": { "command": "x" }, "..": { "command": "x" },
    "odd": { "url": "https://x.example", "args": [] }
  },
  "server": { "port": 99999, "github": { "command": "x" } },
  "telemetry": { "sampling": 2, "logLevel": 5 },
  "port": 1
}`
    expect(await problemsOf(text)).toEqual([
      '3:31 mcpServers.fs.arg Unknown key "arg" in "fs" | Did you mean "args"?',
      '3:55 mcpServers.fs.start "start" must be one of "eager", "lazy" | Did you mean "eager"?',
      '4:21 mcpServers.web.url "url" is not valid | A server\'s URL starts with http:// or https://.',
      '4:58 mcpServers.web.timeouts.idle "idle" is not valid | A duration is a number of milliseconds, or text such as "500ms", "30s", "5m", "1h".',
      '5:5 mcpServers.both "both" is not valid | A target needs exactly one of "command" (a program), "url" (a remote server), "module", "openapi" and "replay".',
      '6:5 mcpServers.none "none" is not valid | A target needs exactly one of "command" (a program), "url" (a remote server), "module", "openapi" and "replay".',
      '7:5 mcpServers["a/b"] "a/b" is not valid | A target\'s name has 1 to 64 characters and no "/", and is neither "." nor "..".',
      '7:32 mcpServers[".."] ".." is not valid | A target\'s name has 1 to 64 characters and no "/", and is neither "." nor "..".',
      '8:42 mcpServers.odd.args "args" is only for targets with "command" | Remove it, or add "command"',
      '10:23 server.port "port" is not valid | A port is a number from 0 (any free one) to 65535, or a reference such as "${env:PORT:-7332}".',
      '10:30 server.github Unknown key "github" in "server" | Servers behind the gateway go under "mcpServers"',
      '11:30 telemetry.sampling "sampling" must be at most 1 | ',
      '11:45 telemetry.logLevel "logLevel" must be one of "debug", "info", "warn", "error", "silent" | ',
      '12:3 port Unknown key "port" | Write it as "server.port"',
    ])
  })

  it('in YAML as well', async () => {
    const text = `
mcpServers:
  fs:
    comand: npx
    args: -y
  web:
    url: https://x.example
    headers:
      - bad
    oauth:
      scope: [a]
auth:
  apiKeys:
    - nam: x
`
    expect(await problemsOf(text, '/etc/gantry.yaml')).toEqual([
      '4:5 mcpServers.fs.comand Unknown key "comand" in "fs" | Did you mean "command"?',
      '5:11 mcpServers.fs.args "args" must be a list, and is text | Put it in brackets: [ ]',
      '8:5 mcpServers.web.headers "headers" must be an object with keys, and is a list | ',
      '11:7 mcpServers.web.oauth.scope Unknown key "scope" in "oauth" | Did you mean "scopes"?',
      '14:7 auth.apiKeys[0] Entry 1 of "apiKeys" is not valid | An API key needs either "key" (a reference to the key) or "sha256" (its hash).',
      '14:7 auth.apiKeys[0].nam Unknown key "nam" in Entry 1 of "apiKeys" | Did you mean "name"?',
    ])
  })

  it('in rules, limits and views that would do something else than they say', async () => {
    const text = `
mcpServers:
  crm: { command: crm }
  notes: { command: notes }
server: { workers: two }
auth:
  apiKeys: [{ name: ann, key: 0123456789abcdefghij, scopes: ["gantry:amdin", team] }]
policy:
  rules:
    - { name: one, deny: ["crm/a"], when: arg.a > 1 }
    - { name: one, deny: ["crm/b"], when: annotations.readOnly }
    - { name: two, allow: ["crm/c"], approve: { by: leads } }
`
    expect(await problemsOf(text, '/etc/gantry.yaml')).toEqual([
      '5:20 server.workers "workers" is not valid | Write a number of processes, or auto.',
      '12:53 policy.rules[2].approve.by "by" is not valid | Write operator, group:NAME, scope:NAME, key:NAME, person:SUBJECT or workload:SUBJECT, or a list of these.',
    ])
    const mended = text.replace('two }', '2 }').replace('leads', 'operator')
    expect(await problemsOf(mended, '/etc/gantry.yaml')).toEqual([
      '7:62 auth.apiKeys[0].scopes[0] "gantry:amdin" opens nothing | Did you mean "gantry:admin"?',
      '10:43 policy.rules[0].when The condition cannot be used: Unknown variable: arg; did you mean args? | docs/policy.md lists the variables and functions that conditions have',
      '11:7 policy.rules[1] Two rules are called "one", so nobody can tell which of them decided | Give each rule a name of its own',
      '11:43 policy.rules[1].when The condition cannot be used: No such key: readOnly; did you mean readOnlyHint? | docs/policy.md lists the variables and functions that conditions have',
    ])
    const ignored = `
mcpServers:
  crm: { command: crm }
  notes: { command: notes }
auth:
  apiKeys: [{ name: ann, key: 0123456789abcdefghij }]
policy:
  tests: [{ as: "key:anne", call: crm/a, expect: allow }]
views:
  desk:
    use: ["tools:crm/get_*"]
    tools: { crm/get_one: { name: one }, crm/put_one: { name: two } }
    prompts: { crm/get_all: { name: all } }
limits:
  rates:
    - { name: a, perDay: 1, burst: 5 }
    - { name: b, rate: 1/s, storeAway: refuse }
    - { name: c, rate: 1/s, storeAway: refuse, shared: true, burst: 5 }
`
    expect(await problemsOf(ignored, '/etc/gantry.yaml')).toEqual([
      '8:17 policy.tests[0].as No API key is called "anne" | Did you mean "ann"?',
      '12:42 views.desk.tools["crm/put_one"] The view does not offer "crm/put_one" | Add "tools:crm/put_one" to "use", or remove it here',
      '13:16 views.desk.prompts["crm/get_all"] The view does not offer "crm/get_all" | Add "prompts:crm/get_all" to "use", or remove it here',
      '16:36 limits.rates[0].burst "burst" does nothing without "rate" | Add "rate", or remove "burst"',
      '17:40 limits.rates[1].storeAway "storeAway" does nothing without "shared: true" | Add "shared: true", or remove "storeAway"',
    ])
  })

  it.each([
    ['{ "mcpServers": { "a": { "command": "x" } ', '1:42  A closing } is missing'],
    ["{ 'mcpServers': {} }", '1:3  This is not JSON'],
    ['{ "a": 1 "b": 2 }', '1:10  A comma is missing before this'],
    ['{ "mcpServers": {}, "mcpServers": {} }', '1:21  "mcpServers" is here twice'],
    ['{} x', '1:4  '],
  ])('for text that is not JSON: %s', async (text, start) => {
    const [first] = await problemsOf(text)
    expect(first).toContain(start)
  })

  it.each([
    ['mcpServers:\n\tfs: {}\n', '2:1'],
    ['mcpServers: {}\nmcpServers: {}\n', '2:1'],
    ['mcpServers: { a: {command: x}', '1:30'],
    ['a: &a [1]\nb: *missing\n', '2:4'],
    ['--- {}\n---\n{}\n', '2:1'],
  ])('for text that is not YAML: %j', async (text, place) => {
    const [first] = await problemsOf(text, '/etc/gantry.yaml')
    expect(first?.startsWith(`${place} `), first).toBe(true)
  })

  it('refuses aliases that multiply beyond reason', async () => {
    const levels = Array.from({ length: 9 }, (_, i) => `x-${i + 1}: &l${i + 1} [${`*l${i},`.repeat(9)}]`)
    const [first] = await problemsOf(`x-0: &l0 [a]\n${levels.join('\n')}\n`, '/etc/gantry.yaml')
    expect(first).toContain('alias')
  })

  it('without printing what is written in secret places', async () => {
    const text = '{"mcpServers":{"a":{"url":"https://u:hunter2@","headers":{"A":{"b":"hunter2"}}}}}'
    expect((await problemsOf(text)).join()).not.toContain('hunter2')
    const nested = '{"mcpServers":{"a":{"url":"https://u:hunter2@:x/"}}}'
    const said = (await problemsOf(nested)).join()
    expect(said).toContain('is not the URL of a server')
    expect(said).not.toContain('hunter2')
  })
})
