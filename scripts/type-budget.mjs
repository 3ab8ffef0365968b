// What our types cost the compiler: a generated server of zod tools beside the same zod schemas alone.
//   node scripts/type-budget.mjs
// At most 1.5 times the instantiations at 50 tools, and linear growth up to 500.
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

export const MOST = 1.5

const input = (i) =>
  `z.object({ id: z.string(), n${i}: z.number().optional(), tags: z.array(z.string()), kind: z.enum(['a', 'b']),
    nested: z.object({ x: z.number(), deep: z.object({ flag: z.boolean().default(false) }) }) })`
const output = (i) => `z.object({ url${i}: z.string(), items: z.array(z.object({ a: z.number() })) })`
const body = (i) => `({ url${i}: v.id + v.kind + v.nested.deep.flag, items: [{ a: v.nested.x }] })`

function repeat(count, line) {
  return Array.from({ length: count }, (_, index) => line(index)).join('\n')
}

/** The schemas, and functions that use them: what any author pays to the schema library. */
function alone(count) {
  return `import { z } from 'zod'
  ${repeat(
    count,
    (i) => `const input${i} = ${input(i)}
    const output${i} = ${output(i)}
    export const run${i} = (v: z.output<typeof input${i}>): z.input<typeof output${i}> => ${body(i)}`,
  )}`
}

/** The same as a server, with a typed client that calls every tool. */
function server(count) {
  return `import { z } from 'zod'
  import { Server, tool } from './server/index.ts'
  import type { Client } from './client/index.ts'
  ${repeat(count, (i) => `const tool${i} = tool({ input: ${input(i)}, output: ${output(i)}, run: (v) => ${body(i)} })`)}
  export const app = new Server({ name: 'many', tools: { ${repeat(count, (i) => `tool${i},`)} } })
  export async function use(client: Client<typeof app>): Promise<string> {
    const first = await client.tools.tool0({ id: '1', tags: [], kind: 'a', nested: { x: 1, deep: {} } })
    return first.url0
  }`
}

/** Libraries and the SDK, which are the same in every program. */
const parsed = new Map()

function instantiations(text) {
  const path = fileURLToPath(new URL('../packages/mcp/src/program.ts', import.meta.url))
  const options = {
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    exactOptionalPropertyTypes: true,
    target: ts.ScriptTarget.ES2023,
    lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    module: ts.ModuleKind.NodeNext,
    customConditions: ['source'],
    types: [],
  }
  const host = ts.createCompilerHost(options)
  const { readFile, fileExists, getSourceFile } = host
  host.getSourceFile = (file, ...how) => {
    if (file === path) return getSourceFile(file, ...how)
    if (!parsed.has(file)) parsed.set(file, getSourceFile(file, ...how))
    return parsed.get(file)
  }
  host.fileExists = (file) => file === path || fileExists(file)
  host.readFile = (file) => (file === path ? text : readFile(file))
  const program = ts.createProgram([path], options, host)
  // Only the generated file: what the SDK's own files cost is not the author's to pay.
  const file = program.getSourceFile(path)
  const problems = program.getSemanticDiagnostics(file)
  if (problems.length > 0) {
    throw new Error(ts.flattenDiagnosticMessageText(problems[0].messageText, '\n'))
  }
  return program.getInstantiationCount()
}

/** Instantiations of the schemas alone and of the server, and their ratio. */
export function measure(count) {
  const schemas = instantiations(alone(count))
  const whole = instantiations(server(count))
  return { count, schemas, whole, ratio: whole / schemas }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const count of [50, 500]) {
    const { schemas, whole, ratio } = measure(count)
    console.log(`${count} tools: schemas ${schemas}, server ${whole}, ${ratio.toFixed(2)} times`)
  }
}
