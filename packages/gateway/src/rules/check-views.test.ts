import { expect, it } from 'vitest'
import type { JsonObject } from '@gantry/mcp/exchange'
import { configFromValue, type RawConfig } from '../config/index.ts'
import { checkViews } from './check-views.ts'

const tool = (name: string, inputSchema: JsonObject): JsonObject => ({ name, inputSchema })
const offer = {
  target: 'github',
  tools: [
    tool('issue_create', { type: 'object', properties: { repo: {}, body: {} } }),
    tool('anything', { type: 'object', additionalProperties: true }),
  ],
  prompts: [{ name: 'review', arguments: [{ name: 'style' }] }],
  resources: [],
}

async function findings(view: Partial<NonNullable<RawConfig['views']>[string]>): Promise<string[]> {
  const views = { desk: { use: ['github/*'], ...view } }
  const loaded = await configFromValue({ mcpServers: { github: { command: 'x' } }, views }, {})
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems))
  return checkViews(loaded.model.views, [offer]).map(({ message }) => message)
}

it.each<[string, Parameters<typeof findings>[0], string[]]>([
  [
    'a parameter that is misspelt',
    { tools: { 'github/issue_create': { parameters: { repos: { fixed: 'a' }, body: { rename: 'text' } } } } },
    ['repos is not a parameter of issue_create; did you mean repo? (view "desk")'],
  ],
  [
    'a tool that is gone',
    { tools: { 'github/issue_creat': { name: 'report' } } },
    ['The target does not offer issue_creat; did you mean issue_create? (view "desk")'],
  ],
  [
    'an argument of a prompt that is gone',
    { prompts: { 'github/review': { parameters: { manner: { fixed: 'short' } } } } },
    ['manner is not a parameter of review (view "desk")'],
  ],
  [
    'nothing where a tool takes whatever it gets',
    { tools: { 'github/anything': { parameters: { x: { fixed: 1 } } } } },
    [],
  ],
])('a view is told of %s', async (_what, view, wanted) => {
  expect(await findings(view)).toEqual(wanted)
})
