import { readFile } from 'node:fs/promises'
import { evaluate } from '@marcbachmann/cel-js'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { configFromValue } from '../config/index.ts'
import type { Subject } from './facts.ts'
import { Permissions } from './permissions.ts'

const page = await readFile(new URL('../../../../docs/coming-from-others.md', import.meta.url), 'utf8')
const [theirs, ours] = [
  /These rules of agentgateway\n\n```yaml\n([^`]*)```/,
  /are these:\n\n```yaml\n([^`]*)```/,
].map((block) => parse(block.exec(page)![1]!))

/** As agentgateway decides: one rule that is true is enough, and one that fails is passed over. */
function theyAllow(name: string, jwt: object | undefined): boolean {
  return theirs.mcpAuthorization.rules.some((rule: string) => {
    try {
      return evaluate(rule, { mcp: { tool: { name } }, ...(jwt && { jwt }) }) === true
    } catch {
      return false
    }
  })
}

const CLAIMS = [
  undefined,
  { sub: 'test-user' },
  { sub: 'other' },
  { sub: 'other', nested: { key: 'value' } },
  { sub: 'test-user', nested: { key: 'else' } },
  { sub: 'other', nested: 'value' },
  { sub: 'Test-User', nested: { key: ['value'] } },
]

it('decides like the rules of agentgateway that the documents show', async () => {
  const loaded = await configFromValue({ mcpServers: { everything: { command: 'x' } }, ...ours })
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems))
  const decisions: string[] = []
  for (const jwt of CLAIMS) {
    const auth = jwt && {
      principal: { kind: 'person', issuer: 'https://i', subject: jwt.sub },
      scopes: [],
      claims: jwt,
    }
    const permissions = new Permissions(loaded.model.policy, { auth: auth as unknown as Subject })
    for (const name of ['echo', 'add', 'printEnv', 'other']) {
      const object = { kind: 'tools', target: 'everything', name } as const
      const { allowed } = permissions.verdict(object, { args: {}, now: new Date() })
      expect([name, jwt, allowed]).toEqual([name, jwt, theyAllow(name, jwt)])
      expect(permissions.maySee(object)).toBe(allowed)
      decisions.push(String(allowed))
    }
  }
  expect(new Set(decisions).size).toBe(2)
})
