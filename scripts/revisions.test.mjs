import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import * as revisions from '../packages/mcp/src/protocol/revisions.ts'

/** Eras end at the edges of the SDK. The gateway asks the SDK, and names a revision only where people read it. */
const GATEWAY = 'packages/gateway/src'

/** What people write and read: the configuration, the facts that its conditions name, the command line, the console's contract and its explanations. */
const SHOWN = [
  'config/compile/policy-tests.ts',
  'model/settings.gen.ts',
  'rules/facts.ts',
  'admin/contract/',
  'admin/explain/',
  'admin/overview/',
  'admin/wire/',
  'cli/',
]

/** Who may ask for an era: those who connect to servers, and those who show it. */
const ASKING = [...SHOWN, 'config/compile/compile-target.ts', 'admin/', 'targets/']

/** Who says which revisions an endpoint of the gateway has. */
const ANSWERING = ['chain/lists/own-answers.ts', 'cluster/owned-target.ts', 'cluster/owned-tasks.ts']

/** Rows of the store have versions of their own. */
const OTHER_VERSIONS = ['store/']

/** Whether a revision has a method is asked of the table of methods, and says nothing of eras. */
const NO_QUESTION = new Set(['META', 'METHOD_NAMES', 'methodFacts', 'isMethodInRevision'])

/** What the SDK offers for questions about revisions, whatever a file calls it. */
const QUESTIONS = new Set(Object.keys(revisions).filter((name) => !NO_QUESTION.has(name)))

const ERAS = new Set(['legacy', 'modern'])
const DATE = /\b20\d\d-\d\d-\d\d\b|^20\d\d(-|-\d\d-)?$/
const VERSION = /^(protocol)?version$|^revision$/i
const ORDER = new Set([
  ts.SyntaxKind.LessThanToken,
  ts.SyntaxKind.LessThanEqualsToken,
  ts.SyntaxKind.GreaterThanToken,
  ts.SyntaxKind.GreaterThanEqualsToken,
])

/** The name at the end of `exchange.client.version`. */
function lastName(node) {
  if (ts.isPropertyAccessExpression(node)) return node.name.text
  if (ts.isElementAccessExpression(node)) return node.argumentExpression.text
  return ts.isIdentifier(node) ? node.text : undefined
}

/** A revision or an era as a text, or as the name of a member. */
function isLiteral(node) {
  if (ts.isIdentifier(node)) {
    const { parent } = node
    const isMember = ts.isPropertyAccessExpression(parent)
      ? parent.name === node
      : ts.isPropertyAssignment(parent)
    return isMember && ERAS.has(node.text)
  }
  const isText =
    ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)
  return isText && (ERAS.has(node.text) || DATE.test(node.text))
}

/** A question of the SDK about eras, under any name; an order of revisions; the member `era`. */
function isQuestion(node) {
  if (ts.isImportSpecifier(node)) return QUESTIONS.has((node.propertyName ?? node.name).text)
  if (ts.isPropertyAccessExpression(node)) return QUESTIONS.has(node.name.text) || node.name.text === 'era'
  if (ts.isBindingElement(node)) return lastName(node.propertyName ?? node.name) === 'era'
  if (!ts.isBinaryExpression(node) || !ORDER.has(node.operatorToken.kind)) return false
  return [node.left, node.right].some((side) => VERSION.test(lastName(side) ?? ''))
}

/** The places of a file that an offence is found in, as they are written. */
function offences(path, text, isOffence) {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const found = []
  const visit = (node) => {
    if (isOffence(node)) found.push(`${path}: ${node.parent.getText().split('\n')[0]}`)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

function filesBesides(places) {
  return readdirSync(GATEWAY, { recursive: true })
    .map(String)
    .filter((path) => path.endsWith('.ts') && !/\.test[.-]/.test(path))
    .filter((path) => !places.some((place) => path.startsWith(place)))
}

describe('the gateway', () => {
  it.each([
    ['names no revision and no era in its code', SHOWN, isLiteral],
    ['asks for no era between its edges', [...ASKING, ...ANSWERING, ...OTHER_VERSIONS], isQuestion],
  ])('%s', (_title, places, isOffence) => {
    const files = filesBesides(places)
    expect(files.length).toBeGreaterThan(100)
    const found = files.flatMap((path) =>
      offences(path, readFileSync(join(GATEWAY, path), 'utf8'), isOffence),
    )
    expect(found).toEqual([])
  })

  it.each([...ASKING, ...ANSWERING, ...OTHER_VERSIONS])('needs an exception for %s', (place) => {
    const excepted = filesBesides([]).filter((path) => path.startsWith(place))
    const isExcepted = (node) => isLiteral(node) || isQuestion(node)
    const found = excepted.some(
      (path) => offences(path, readFileSync(join(GATEWAY, path), 'utf8'), isExcepted).length > 0,
    )
    expect(found).toBe(true)
  })
})

describe('would be found out:', () => {
  it.each([
    'const era = "legacy"',
    'const era = `legacy`',
    "const name = `${x ? 'modern' : ''}-client`",
    'const at = `since 2026-07-28 ${x}`',
    "if (client.version.startsWith('2025-')) return",
    'const by = { legacy: 1 }',
    'if (by.modern) return',
    "const glob = 'a/*'; const era = 'legacy'; const other = '*/'",
  ])('%s', (text) => {
    expect(offences('x.ts', text, isLiteral)).not.toEqual([])
  })

  it.each([
    "import { isModern } from '@gantry/mcp/exchange'",
    "import { LATEST_MODERN as NEW } from '@gantry/mcp/exchange'",
    "import * as sdk from '@gantry/mcp/exchange'; sdk.eraOf(version)",
    'if (exchange.client.version >= OLD) return',
    "if (OLD < client['version']) return",
    'if (link.era === other.era) return',
    'const { era } = link',
  ])('%s', (text) => {
    expect(offences('x.ts', text, isQuestion)).not.toEqual([])
  })
})

it.each([
  '/** As 2026-07-28 has it: `modern` */ const x = 1',
  "const x = 1 // 'legacy' clients",
  "const url = 'https://x.example' // 'legacy'",
  'if (row.version === 1) return',
  "import { isMethodInRevision } from '@gantry/mcp/exchange'",
])('is no offence: %s', (text) => {
  expect(offences('x.ts', text, (node) => isLiteral(node) || isQuestion(node))).toEqual([])
})
