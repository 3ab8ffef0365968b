import { expect, it } from 'vitest'
import type { JsonObject } from '@gantry/mcp/exchange'
import { configFromValue, type RawConfig } from '../../config/index.ts'
import { checkViews } from './check-views.ts'

const tool = (name: string, inputSchema: JsonObject): JsonObject => ({ name, inputSchema })
const offer = {
  target: 'github',
  tools: [
    tool('issue_create', { type: 'object', properties: { repo: {}, body: {} } }),
    tool('find', {
      type: 'object',
      allOf: [{ properties: { path: { type: 'string' }, depth: { type: 'integer' } } }],
    }),
    tool('list', { type: 'object', properties: { count: { type: 'integer', default: 50 }, label: {} } }),
    tool('anything', { type: 'object', additionalProperties: true }),
  ],
  prompts: [{ name: 'review', arguments: [{ name: 'style' }] }],
  resources: [],
}

async function findings(view: Partial<NonNullable<RawConfig['views']>[string]>): Promise<string[]> {
  const views = { desk: { use: ['github/*'], ...view } }
  const loaded = await configFromValue({ mcpServers: { github: { command: 'x' } }, views }, {})
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems))
  return (await checkViews(loaded.model.views, [offer])).map(({ message }) => message)
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
    'a name that another parameter has',
    { tools: { 'github/issue_create': { parameters: { body: { rename: 'repo' } } } } },
    ['body cannot be called repo: issue_create has a parameter of that name (view "desk")'],
  ],
  [
    'nothing of two names that change places',
    {
      tools: {
        'github/issue_create': { parameters: { body: { rename: 'repo' }, repo: { rename: 'body' } } },
      },
    },
    [],
  ],
  [
    'a default of the target that is more than the view accepts',
    { tools: { 'github/list': { parameters: { count: { maximum: 10 } } } } },
    [
      'count of list is 50 when clients leave it out, which the view does not accept: give it a default (view "desk")',
    ],
  ],
  [
    'nothing where clients need not send it',
    { tools: { 'github/list': { parameters: { count: { maximum: 10, default: 10 } } } } },
    [],
  ],
  [
    'nothing of a default that the view accepts',
    { tools: { 'github/list': { parameters: { count: { maximum: 60 }, label: { enum: ['a'] } } } } },
    [],
  ],
  [
    'nothing where a tool takes whatever it gets',
    { tools: { 'github/anything': { parameters: { x: { fixed: 1 } } } } },
    [],
  ],
])('a view is told of %s', async (_what, view, wanted) => {
  expect(await findings(view)).toEqual(wanted)
})

const filled = (expression: string): { fixed: { expression: string } } => ({ fixed: { expression } })

it.each<[string, Record<string, object>, string]>([
  [
    'an argument that is misspelt',
    { path: filled('"/" + args.dpeth') },
    'args.dpeth is not a field of find; did you mean depth?',
  ],
  [
    'an argument by the name that only the target knows',
    { path: filled('args.depth > 1 ? "/" : "/a"'), depth: { rename: 'levels' } },
    'args.depth is not a field of find',
  ],
  ['an argument that clients do not see', { path: filled('args.path') }, 'args.path is not a field of find'],
  [
    'an argument that is asked for and never there',
    { path: filled('has(args.dpeth) ? "/a" : "/b"') },
    'args.dpeth is not a field of find; did you mean depth?',
  ],
  ['a value of another type', { depth: filled('"a"') }, 'For find: "a" gives a string, not an integer'],
  ['operands of two types', { path: filled('args.depth + "/"') }, 'For find: no such overload'],
  ['a default of another type', { depth: { default: { expression: '[1]' } } }, 'gives an array'],
])('an expression of a view is told of %s', async (_what, parameters, wanted) => {
  const found = await findings({ tools: { 'github/find': { parameters } } } as never)
  expect(found).toHaveLength(1)
  expect(found[0]).toContain(wanted)
  expect(found[0]).toContain('(view "desk")')
})

it.each<Record<string, object>>([
  { path: filled('claims.team') },
  { path: filled('"/" + principal.subject + (args.levels > 2 ? "/deep" : "")'), depth: { rename: 'levels' } },
  { path: filled('tool == "other" ? args.nothing : "/"') },
  { depth: filled('has(args.path) ? size(args.path) : 0'), path: { rename: 'path' } },
  { depth: { default: { expression: '2' } } },
])('takes good expressions of a view: %j', async (parameters) => {
  expect(await findings({ tools: { 'github/find': { parameters } } } as never)).toEqual([])
})

it('compares expressions with the arguments of prompts', async () => {
  const parameters = { style: filled('args.stlye') }
  expect(await findings({ prompts: { 'github/review': { parameters } } } as never)).toEqual([
    'args.stlye is not a field of review (view "desk")',
  ])
  const number = { style: filled('1') }
  expect(
    (await findings({ prompts: { 'github/review': { parameters: number } } } as never)).join(),
  ).toContain('gives an integer, not a string')
})
