import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, it } from 'vitest'

const PROGRAM = `import * as v from 'valibot'
import { z } from 'zod'
import { prompt, Server, text, tool } from '../index.ts'
export const plain = tool({ input: z.object({ a: z.string() }), run: () => 'x' })
export const app = new Server({
  name: 'x',
  tools: {
    plain,
    place: {
      input: z.object({ a: z.string().transform(Number), kind: z.enum(['a', 'b']).default('a') }),
      output: z.object({ n: z.number() }),
      run: (args) => ({ n: args.a }),
    },
    loose: { input: v.object({ s: v.string() }), run: async (args) => ({ length: args.s.length }) },
    content: { run: () => text('x') },
  },
  prompts: {
    checked: { input: z.object({ n: z.string().transform(Number) }), run: ({ n }) => String(n) },
    declared: prompt({ arguments: { day: { required: true } }, run: ({ day }) => day }),
  },
})
export const chained = new Server({ name: 'y' })
  .tool('add', { input: z.object({ a: z.number() }), run: ({ a }) => String(a) })
  .mount('x', app)
`

/** The declaration file of a program beside this test, as a project that exports a server writes it. */
function declarationsOf(text: string): string {
  const path = fileURLToPath(new URL('program.ts', import.meta.url))
  const options: ts.CompilerOptions = {
    declaration: true,
    emitDeclarationOnly: true,
    strict: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    rewriteRelativeImportExtensions: true,
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    types: [],
  }
  const host = ts.createCompilerHost(options)
  const { readFile, fileExists } = host
  host.fileExists = (file) => file === path || fileExists(file)
  host.readFile = (file) => (file === path ? text : readFile(file))
  let written = ''
  host.writeFile = (_file, content) => {
    written = content
  }
  const program = ts.createProgram([path], options, host)
  const file = program.getSourceFile(path)!
  const problems = [...program.getSemanticDiagnostics(file), ...program.getDeclarationDiagnostics(file)]
  expect(problems.map(({ messageText }) => messageText)).toEqual([])
  program.emit(file)
  return written.replaceAll(/\s+/g, ' ')
}

it('declaration files of servers have the types of values, and none of a schema library', () => {
  const written = declarationsOf(PROGRAM)
  expect(written).toContain(
    'place: { input: { a: string; kind?: "a" | "b" | undefined; }; output: { n: number; }; };',
  )
  expect(written).toContain('loose: { input: { s: string; }; output: { length: number; }; };')
  expect(written).toContain('plain: { input: { a: string; }; output: string; };')
  expect(written).toContain('checked: { input: { n: string; }; };')
  expect(written).toMatch(/declared: \{ input: \{ day: string; \}/)
  expect(written).not.toMatch(/zod|valibot|~standard/i)
}, 120_000)
