import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { gatewayWords } from '../targets/target-error.ts'

const PACKAGES = join(import.meta.dirname, '..', '..', '..')
const schema = JSON.parse(readFileSync(join(PACKAGES, 'gateway/schema/gantry.schema.json'), 'utf8'))

type Schema = Record<string, unknown>

/** Every place that the configuration has, as `targets.*.openapi.baseUrl`. */
function placesIn(node: Schema, at: string, into: Set<string>, depth = 0): Set<string> {
  if (depth > 24) return into
  const visit = (child: unknown, path: string): void => {
    if (path !== at) into.add(path)
    if (typeof child === 'object' && child !== null) placesIn(child as Schema, path, into, depth + 1)
  }
  const { $ref, properties = {}, additionalProperties, items, anyOf = [], oneOf = [], allOf = [] } = node
  if (typeof $ref === 'string') visit(schema.$defs[$ref.split('/').at(-1)!], at)
  for (const [name, child] of Object.entries(properties as Schema)) visit(child, `${at}.${name}`)
  if (additionalProperties) visit(additionalProperties, `${at}.*`)
  for (const child of [items, ...(anyOf as []), ...(oneOf as []), ...(allOf as [])]) visit(child, at)
  return into
}

const places = [...placesIn(schema, '', new Set())]
/** Settings are named from where they stand (`openapi.baseUrl` of a target). */
const isSetting = (name: string): boolean => places.some((place) => place.endsWith(`.${name}`))

/** The texts of a package's sources, without what is filled in, that match a pattern. */
function textsIn(name: string, pattern: RegExp): { file: string; text: string }[] {
  const folder = join(PACKAGES, name, 'src')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return files
    .filter((file) => /\.tsx?$/.test(file) && !file.includes('.test.'))
    .map((file) => ({ file, code: readFileSync(join(folder, file), 'utf8') }))
    .filter(({ code }) => pattern.test(code))
    .flatMap(({ file, code }) => {
      const texts: { file: string; text: string }[] = []
      const visit = (node: ts.Node): void => {
        const isPart =
          ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node) || ts.isJsxText(node)
        const text = isPart || ts.isStringLiteralLike(node) ? node.text : ''
        if (pattern.test(text)) texts.push({ file, text })
        ts.forEachChild(node, visit)
      }
      visit(ts.createSourceFile(file, code, ts.ScriptTarget.Latest))
      return texts
    })
}

/** Advice to change something: a name in quotes, with a dot, or with a capital letter in the middle. */
const ADVICE =
  /\b(?:[Ss]et|[Rr]aises?|[Hh]ave|in|[Uu]se|[Aa]dd|[Cc]orrect|option) (?:"([a-z][\w.]*)"|([a-z]+(?:[A-Z]\w*|\.[a-z]\w*)(?:\.[a-z]\w*)*))(?![\w/*(])/

it.each(['gateway', 'console'])('advises settings that there are: %s', (name) => {
  const wrong = textsIn(name, ADVICE).flatMap(({ file, text }) =>
    [...text.matchAll(new RegExp(ADVICE, 'g'))]
      .filter(([, quoted, plain]) => !isSetting((quoted ?? plain)!))
      .map(([whole]) => `${file}: ${whole}`),
  )
  expect(wrong).toEqual([])
})

it('leaves out what the SDK advises to raise, which are options of its own', () => {
  const raise = /raise [a-z]+[A-Z]/i
  const advised = textsIn('mcp', raise)
  expect(advised.length).toBeGreaterThan(3)
  for (const { text } of advised) expect(gatewayWords(text)).not.toMatch(raise)
})
