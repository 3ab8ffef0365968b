import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { cruise } from 'dependency-cruiser'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import config from '../.dependency-cruiser.mjs'

const FORBIDDEN = [
  ['packages/mcp/src/jsonrpc/a.ts', 'packages/mcp/src/protocol/index.ts'],
  ['packages/mcp/src/server/a.ts', 'packages/mcp/src/client/index.ts'],
  ['packages/mcp/src/client/a.ts', 'packages/mcp/src/server/index.ts'],
  ['packages/mcp/src/schema/a.ts', 'packages/mcp/src/exchange/index.ts'],
  ['packages/mcp/src/exchange/a.ts', 'packages/mcp/src/transport/memory.ts'],
  ['packages/mcp/src/transport/http.ts', 'packages/mcp/src/server/index.ts'],
  ['packages/mcp/src/transport/http.ts', 'packages/mcp/src/schema/index.ts'],
  ['packages/mcp/src/transport/http.ts', 'packages/mcp/src/entries/client.ts'],
  ['packages/mcp/src/transport/http/server/a.ts', 'packages/mcp/src/transport/http/client/wire.ts'],
  ['packages/mcp/src/transport/http/client/a.ts', 'packages/mcp/src/transport/stdio/client-id-scan.ts'],
  ['packages/mcp/src/transport/process/a.ts', 'packages/mcp/src/transport/stdio/client-id-scan.ts'],
  ['packages/mcp/src/exchange/legacy/server/a.ts', 'packages/mcp/src/exchange/modern/server-edge.ts'],
  ['packages/mcp/src/exchange/modern/client-a.ts', 'packages/mcp/src/exchange/legacy/client/edge.ts'],
  ['packages/mcp/src/exchange/client/a.ts', 'packages/mcp/src/exchange/server/answer.ts'],
  ['packages/mcp/src/entries/client.ts', 'packages/mcp/src/server/index.ts'],
  ['packages/mcp/src/entries/server.node.ts', 'packages/mcp/src/client/index.ts'],
  ['packages/mcp/src/entries/server.node.ts', 'packages/mcp/src/server/registry/registry.ts'],
  ['packages/mcp/src/extensions/tasks/index.ts', 'packages/mcp/src/server/registry/registry.ts'],
  ['packages/mcp/src/server/questions/a.ts', 'packages/mcp/src/server/definitions/definitions.ts'],
  ['packages/mcp/src/server/definitions/a.ts', 'packages/mcp/src/server/registry/registry.ts'],
  ['packages/mcp/src/server/registry/a.ts', 'packages/mcp/src/server/running/call-tool.ts'],
  ['packages/mcp/src/server/running/a.ts', 'packages/mcp/src/server/server.ts'],
  ['packages/mcp/src/auth/http/a.ts', 'packages/mcp/src/auth/grants/dpop.ts'],
  ['packages/mcp/src/auth/discovery/a.ts', 'packages/mcp/src/auth/tokens/token-set.ts'],
  ['packages/mcp/src/auth/tokens/a.ts', 'packages/mcp/src/auth/grants/dpop.ts'],
  ['packages/mcp/src/auth/grants/a.ts', 'packages/mcp/src/auth/guard/index.ts'],
  ['packages/mcp/src/auth/guard/a.ts', 'packages/mcp/src/auth/tokens/token-set.ts'],
  ['packages/mcp/src/server/b.ts', 'node:fs'],
  ['packages/mcp/src/entries/connect.ts', 'packages/mcp/src/entries/client.node.ts'],
  ['packages/gateway/src/model/a.ts', 'packages/gateway/src/config/index.ts'],
  ['packages/gateway/src/relay/d.ts', 'packages/gateway/src/chain/index.ts'],
  ['packages/gateway/src/chain/resolve/a.ts', 'packages/gateway/src/chain/policy/policy-link.ts'],
  ['packages/gateway/src/rules/a.ts', 'packages/gateway/src/catalog/index.ts'],
  ['packages/gateway/src/targets/a.ts', 'packages/mcp/src/entries/server.ts'],
  ['packages/gateway/src/targets/connected/a.ts', 'packages/gateway/src/targets/connection/instance.ts'],
  ['packages/gateway/src/relay/a.ts', 'packages/mcp/src/server/registry/registry.ts'],
  ['packages/gateway/src/relay/b.ts', 'packages/gateway/src/admin/index.ts'],
  ['packages/gateway/src/cli/a.ts', 'packages/gateway/src/relay/index.ts'],
  ['packages/gateway/src/rules/b.ts', 'packages/gateway/src/chain/index.ts'],
  ['packages/gateway/src/chain/b.ts', 'packages/gateway/src/front/index.ts'],
  ['packages/gateway/src/admin/a.ts', 'packages/gateway/src/main.ts'],
  ['packages/gateway/src/front/a.ts', 'packages/gateway/src/start/start-gateway.ts'],
  ['packages/console/src/a.tsx', 'packages/gateway/src/relay/index.ts'],
  ['packages/console/src/b.tsx', 'packages/mcp/src/entries/client.ts'],
]

const ALLOWED = [
  ['packages/mcp/src/server/c.ts', 'packages/mcp/src/exchange/index.ts'],
  ['packages/mcp/src/server/c.test.ts', 'packages/mcp/src/client/index.ts'],
  ['packages/mcp/src/entries/server.ts', 'packages/mcp/src/server/index.ts'],
  [
    'packages/mcp/src/exchange/server/server-connection.ts',
    'packages/mcp/src/exchange/modern/server-edge.ts',
  ],
  ['packages/mcp/src/transport/stdio/a.node.ts', 'packages/mcp/src/transport/process/server.node.ts'],
  ['packages/mcp/src/transport/stdio.node.ts', 'node:child_process'],
  ['packages/mcp/src/testing/a.ts', 'packages/mcp/src/server/registry/registry.ts'],
  ['packages/gateway/src/relay/c.ts', 'packages/mcp/src/exchange/index.ts'],
  ['packages/gateway/src/chain/chain.ts', 'packages/gateway/src/chain/limits/admission.ts'],
  ['packages/gateway/src/start/a.ts', 'packages/gateway/src/targets/a.ts'],
  ['packages/console/src/c.tsx', 'packages/gateway/src/admin/contract.ts'],
]

describe('the layers', () => {
  let folder
  let violations

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gantry-layers-'))
    writeFiles(folder, [...FORBIDDEN, ...ALLOWED])
    const { options, ...ruleSet } = config
    const result = await cruise(
      ['packages'],
      { ...options, baseDir: folder, ruleSet, validate: true },
      options.enhancedResolveOptions,
    )
    violations = result.output.summary.violations
  })

  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it.each(FORBIDDEN)('%s may not import %s', (from, to) => {
    expect(violations).toContainEqual(expect.objectContaining({ from, to: to.replace('node:', '') }))
  })

  it.each(ALLOWED)('%s may import %s', (from, to) => {
    const found = violations.filter((violation) => violation.from === from && violation.to === to)
    expect(found).toEqual([])
  })

  it('names a cycle', () => {
    expect(violations.some((violation) => violation.rule.name === 'no cycles')).toBe(true)
  })
})

/** Each pair becomes a file that imports another; two more files import each other. */
function writeFiles(folder, pairs) {
  const imports = new Map()
  const cycle = ['packages/mcp/src/protocol/chicken.ts', 'packages/mcp/src/protocol/egg.ts']
  for (const [from, to] of [...pairs, cycle, [...cycle].reverse()]) {
    imports.set(from, [...(imports.get(from) ?? []), to])
    if (!to.startsWith('node:') && !imports.has(to)) imports.set(to, [])
  }
  for (const [file, targets] of imports) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    const up = '../'.repeat(file.split('/').length - 1)
    const lines = targets.map((to) => `import '${to.startsWith('node:') ? to : up + to}'\n`)
    writeFileSync(join(folder, file), `${lines.join('')}export {}\n`)
  }
}
