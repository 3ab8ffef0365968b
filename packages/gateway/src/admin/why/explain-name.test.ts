import { describe, expect, it } from 'vitest'
import { configFromValue, type RawConfig } from '../../config/index.ts'
import type { TargetCatalog } from '../../catalog/target-catalog.ts'
import { Permissions } from '../../rules/permissions.ts'
import type { CatalogEntry, TargetState, WhyReport } from '../contract.ts'
import { explainName } from './explain-name.ts'
import type { TargetFacts } from './target-causes.ts'

const QUIET = { calls: 0, errors: 0, traffic: [] }

interface Scene {
  readonly config?: RawConfig
  readonly entries?: readonly Partial<CatalogEntry>[]
  readonly state?: TargetState
  readonly facts?: Partial<TargetFacts>
  readonly stats?: object
  readonly staleReason?: string
  readonly lastRefusals?: readonly string[]
}

/** Explains a name in a gateway with one target, `files`, that offers `read`. */
async function why(name: string, scene: Scene = {}): Promise<WhyReport> {
  const loaded = await configFromValue(scene.config ?? { mcpServers: { files: { command: 'x' } } })
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems))
  const { model } = loaded
  const entries = (scene.entries ?? [{}]).map(
    (over): CatalogEntry => ({
      kind: 'tool',
      key: 'files_read',
      own: 'read',
      target: 'files',
      tokens: 1,
      visible: true,
      renamed: false,
      shortened: false,
      stale: false,
      ...over,
    }),
  )
  return explainName(name, {
    model,
    entries,
    target: (wanted) => {
      const target = model.targets.find((one) => one.name === wanted)
      return (
        target && {
          model: target,
          state: scene.state ?? 'ready',
          problem: undefined,
          retryAt: undefined,
          catalog: { snapshot: {} as TargetCatalog['snapshot'], stale: false, problem: undefined },
          stderr: [],
          ...scene.facts,
        }
      )
    },
    entry: (asked, entry) => ({
      asked,
      entry,
      selection: model.targets.find((one) => one.name === entry.target)!.tools,
      verdict: new Permissions(model.policy, {}).verdict({
        kind: 'tools',
        target: entry.target,
        name: entry.own,
      }),
      who: 'clients without a name',
      staleSince: Date.UTC(2026, 0, 2, 3, 4, 5),
      staleReason: scene.staleReason,
      stats: { ...QUIET, ...scene.stats },
      lastErrors: ['it burns'],
      lastRefusals: scene.lastRefusals ?? [],
    }),
    resource: (target, own) => ({
      verdict: new Permissions(model.policy, {}).verdict({ kind: 'resources', target, name: own }),
      who: 'clients without a name',
      target,
      own,
      isRestricted: true,
    }),
  })
}

/** The first problem, or the last note. */
const cause = ({ chain }: WhyReport) =>
  chain.find(({ status }) => status === 'problem') ?? chain.findLast(({ status }) => status === 'note')

describe('why a name', () => {
  it('is available', async () => {
    const report = await why('files_read')
    expect(report).toMatchObject({
      verdict: 'available',
      subject: { target: 'files', own: 'read', key: 'files_read' },
    })
    expect(report.chain.map(({ code, status }) => `${code} ${status}`)).toEqual([
      'configured ok',
      'target-ready ok',
      'offered ok',
      'allowed ok',
    ])
  })

  it('is missing because no target is configured for it', async () => {
    const report = await why('github_search')
    expect(report.verdict).toBe('missing')
    expect(cause(report)).toMatchObject({
      code: 'not-configured',
      detail: 'Targets: files.',
      fix: expect.stringContaining('Add target'),
    })
  })

  it('is another since the configuration renames it, whichever of its names is asked for', async () => {
    const config = { mcpServers: { files: { command: 'x', tools: { rename: { read: 'open' } } } } }
    const entries = [{ key: 'files_open', renamed: true }]
    for (const name of ['files_read', 'files/read', 'read', 'files_open']) {
      const report = await why(name, { config, entries })
      expect(report).toMatchObject({
        verdict: 'available',
        summary: 'The configuration renames "read" to "open"',
        subject: { key: 'files_open' },
      })
      expect(cause(report)).toMatchObject({ code: 'renamed', detail: 'Clients call it "files_open".' })
    }
  })

  it('is missing because it is misspelled', async () => {
    const report = await why('file_read')
    expect(report.similar).toEqual([{ kind: 'tool', key: 'files_read', target: 'files' }])
    expect(cause(report)!.fix).toBe('Did you mean "files_read"?')
  })

  it('is missing because its target is off, or held back', async () => {
    const off = { mcpServers: { files: { command: 'x', enabled: false } } }
    expect(cause(await why('files_read', { config: off, entries: [] }))).toMatchObject({
      code: 'disabled',
      fix: 'Set "enabled": true for "files".',
    })
    const held = { mcpServers: { files: { command: 'x', env: { A: '${env:GANTRY_NOT_SET}' } } } }
    expect(cause(await why('files_read', { config: held, entries: [] }))!.title).toContain('GANTRY_NOT_SET')
  })

  it.each([
    ['backing-off', 'target-failing'],
    ['quarantined', 'target-failing'],
    ['needs-auth', 'needs-auth'],
    ['stopped', 'stopped'],
    ['starting', 'target-starting'],
  ] as const)('is missing because its target is %s', async (state, code) => {
    const report = await why('files_read', {
      state,
      entries: [],
      facts: {
        catalog: { snapshot: undefined, stale: false, problem: 'it exited' },
        problem: { code: 'exited', what: 'It exited.', meaning: 'No token.', fix: 'Set TOKEN.' },
        stderr: ['a', 'b'],
        retryAt: Date.now() + 5000,
      },
    })
    expect(report.verdict).toBe('missing')
    const found = cause(report)!
    expect(found.code).toBe(code)
    if (code !== 'target-starting' && code !== 'stopped') {
      expect(found).toMatchObject({ detail: 'It exited. No token.', fix: 'Set TOKEN.', stderr: ['a', 'b'] })
    }
    // Not repeated: what keeps the target from running is why its list is missing.
    const detail = found?.detail === undefined ? 'it exited' : undefined
    expect(report.chain.at(-1)).toMatchObject({ code: 'list-missing' })
    expect(report.chain.at(-1)?.detail).toBe(detail)
  })

  it('is missing because its target does not offer it', async () => {
    const report = await why('files_raed')
    expect(cause(report)).toMatchObject({ code: 'not-offered', fix: 'Did you mean "files_read"?' })
    expect(cause(await why('files_completely_else'))!.fix).toContain('gantry tools files')
  })

  it('is missing because it is excluded, or not included', async () => {
    const config = {
      mcpServers: { files: { command: 'x', tools: { exclude: ['re*'], include: ['write'] } } },
    }
    const excluded = await why('files_read', { config, entries: [{ visible: false, hiddenBy: 'exclude' }] })
    expect(cause(excluded)).toMatchObject({ code: 'excluded', detail: expect.stringContaining('"re*"') })
    const left = await why('files_read', { config, entries: [{ visible: false, hiddenBy: 'include' }] })
    expect(cause(left)).toMatchObject({ code: 'not-included', fix: 'Add "read" to tools.include.' })
  })

  it('is the same for every spelling of a URI', async () => {
    const config = {
      mcpServers: { files: { command: 'x' } },
      policy: { rules: [{ name: 'hands off', deny: ['resources:files/doc://secret/*'] }] },
    }
    const denied = await why('files+DOC://secret/./a/../b', { config })
    expect(cause(denied)).toMatchObject({
      code: 'denied',
      title: expect.stringContaining('"hands off"'),
      detail: expect.stringContaining('"doc://secret/b"'),
    })
    const ambiguous = await why('files+doc://open/..%2Fsecret/b', { config })
    expect(cause(ambiguous)).toMatchObject({ code: 'denied', title: expect.stringContaining('several ways') })
    const listed = { kind: 'resource', key: 'files+doc://open/a', own: 'doc://open/a' } as const
    const found = await why('files+DOC://open/./a', { config, entries: [listed] })
    expect(found).toMatchObject({ verdict: 'available', subject: { own: 'doc://open/a' } })
  })

  it('is denied by a rule, or by default', async () => {
    const mcpServers = { files: { command: 'x' } }
    const rule = await why('files_read', {
      config: { mcpServers, policy: { rules: [{ name: 'hands off', deny: ['files/*'] }] } },
    })
    expect(cause(rule)).toMatchObject({ code: 'denied', title: expect.stringContaining('"hands off"') })
    const byDefault = await why('files_read', { config: { mcpServers, policy: { default: 'deny' } } })
    expect(cause(byDefault)).toMatchObject({
      code: 'denied',
      fix: 'Add a rule with "allow": ["files/read"].',
    })
  })

  it.each([
    [{ renamed: true, key: 'files_look' }, 'read', 'renamed'],
    [{ shortened: true, key: 'files_re_abc123' }, 'read', 'shortened'],
    [{ collidesWith: 'other', key: 'read_abc123' }, 'read', 'collision'],
    [{}, 'read', 'renamed'],
    [{}, 'files/read', 'renamed'],
  ] as [Partial<CatalogEntry>, string, string][])(
    'has another name than it was asked for: %j',
    async (over, asked, code) => {
      const config = { mcpServers: { files: { command: 'x', tools: { rename: { read: 'look' } } } } }
      const report = await why(asked, { config, entries: [over] })
      expect(report.verdict).toBe('available')
      expect(report.chain.map((one) => one.code)).toContain(code)
      expect(report.summary).toContain(
        code === 'renamed' && over.renamed ? 'look' : (over.key ?? 'files_read'),
      )
    },
  )

  it('is stale, slow or failing', async () => {
    const stale = await why('files_read', { entries: [{ stale: true }], staleReason: 'it is gone' })
    expect(stale).toMatchObject({
      verdict: 'degraded',
      summary: expect.stringContaining('2026-01-02 03:04:05 UTC'),
    })
    const slow = await why('files_read', { stats: { calls: 9, p95: 8000 } })
    expect(slow).toMatchObject({ verdict: 'degraded', summary: expect.stringContaining('8.0 s') })
    const failing = await why('files_read', { stats: { calls: 10, errors: 5, errorRate: 0.5 } })
    expect(failing.summary).toContain('50 %')
    expect(failing.chain.at(-1)!.detail).toBe('The last errors: it burns')
    const asking = await why('files_read', { lastRefusals: ['Two calls are in flight'] })
    expect(asking).toMatchObject({ verdict: 'available' })
    expect(asking.chain.at(-1)).toMatchObject({
      code: 'refused-questions',
      detail: 'Two calls are in flight',
    })
  })

  it('is a target', async () => {
    expect(await why('files')).toMatchObject({ verdict: 'available', summary: '"files" works' })
  })

  it('is still served from the last list while its target fails', async () => {
    const report = await why('files_read', { state: 'backing-off', entries: [{ stale: true }] })
    expect(report.verdict).toBe('degraded')
  })

  it('may be anything without harm', async () => {
    for (const name of ['', '__proto__', 'constructor', '<script>', '../..', '\u0000', 'x'.repeat(100_000)]) {
      expect((await why(name)).verdict).toBe('missing')
    }
  })
})

it('says which era the connections of a target have, and why', async () => {
  const eras = 'Calls of all clients use 2026-07-28: the server refused "initialize".'
  const { chain } = await why('files_read', { facts: { eras } })
  expect(chain.find(({ code }) => code === 'target-ready')).toMatchObject({ detail: eras })
})
