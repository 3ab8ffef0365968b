import { fileURLToPath } from 'node:url'
import { type } from 'arktype'
import { Type } from 'typebox'
import ts from 'typescript'
import * as v from 'valibot'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import type { JsonObject } from '../jsonrpc/index.ts'
import type { InferInput, InferOutput, StandardSchema } from './index.ts'

describe('inference', () => {
  it('gives the output value of library schemas', () => {
    const zod = z.object({
      a: z.string().default('x'),
      b: z.number().optional(),
      c: z.string().transform(Number),
    })
    expectTypeOf<InferOutput<typeof zod>>().toEqualTypeOf<{ a: string; b?: number | undefined; c: number }>()
    expectTypeOf<InferInput<typeof zod>>().toEqualTypeOf<{
      a?: string | undefined
      b?: number | undefined
      c: string
    }>()
    const valibot = v.object({ a: v.string(), b: v.optional(v.number()) })
    expectTypeOf<InferOutput<typeof valibot>>().toEqualTypeOf<{ a: string; b?: number | undefined }>()
    const arktype = type({ a: 'string', 'b?': 'number' })
    expectTypeOf<InferOutput<typeof arktype>>().toEqualTypeOf<{ a: string; b?: number }>()
    expectTypeOf<InferOutput<StandardSchema<string, number>>>().toEqualTypeOf<number>()
    expectTypeOf<InferOutput<{ '~standard': { vendor: 'x' } }>>().toEqualTypeOf<unknown>()
  })

  it('gives the static type of TypeBox values', () => {
    const schema = Type.Object({
      a: Type.String(),
      b: Type.Optional(Type.Integer()),
      c: Type.Union([Type.Literal('x'), Type.Null()]),
      d: Type.Array(Type.Object({ e: Type.Boolean() })),
      f: Type.Tuple([Type.Number(), Type.String()]),
      g: Type.Record(Type.String(), Type.Number()),
      h: Type.Enum(['p', 'q']),
      i: Type.Unsafe<Date>({}),
      j: Type.Intersect([Type.Object({ k: Type.String() }), Type.Object({ l: Type.Number() })]),
    })
    expectTypeOf<InferOutput<typeof schema>>().toEqualTypeOf<Type.Static<typeof schema>>()
    expectTypeOf<InferInput<typeof schema>>().toEqualTypeOf<Type.Static<typeof schema>>()
    expectTypeOf<InferOutput<{ static: 7; params: unknown[]; type: 'integer' }>>().toEqualTypeOf<7>()
  })

  it('gives an object for plain JSON Schema', () => {
    expectTypeOf<InferOutput<{ type: 'object' }>>().toEqualTypeOf<JsonObject>()
  })

  it('costs at most half as much again as the library itself, also in place', () => {
    const server = "import { Server, tool } from '../server/index.ts'\n"
    const values = instantiations(
      server +
        repeat(
          (i) =>
            `export const tool${i} = tool({ input: ${INPUT(i)}, output: ${OUTPUT(i)}, run: (v) => ${BODY(i)} })`,
        ),
    )
    const inPlace = instantiations(
      `${server}export const app = new Server({ name: 'x', tools: {
        ${repeat((i) => `tool${i}: { input: ${INPUT(i)}, output: ${OUTPUT(i)}, run: (v) => ${BODY(i)} },`)}
      } })`,
    )
    const chained = instantiations(
      `${server}export const app = new Server({ name: 'x' })
        ${repeat((i) => `.tool('tool${i}', { input: ${INPUT(i)}, output: ${OUTPUT(i)}, run: (v) => ${BODY(i)} })`)}`,
    )
    const alone = instantiations(
      repeat(
        (i) => `const input${i} = ${INPUT(i)}
        const output${i} = ${OUTPUT(i)}
        export const run${i} = (v: z.output<typeof input${i}>): z.input<typeof output${i}> => ${BODY(i)}`,
      ),
    )
    expect(alone).toBeGreaterThan(10_000)
    expect(values / alone).toBeLessThan(1.5)
    expect(inPlace / alone).toBeLessThan(1.5)
    // Every link of the chain has a server of its own type (docs/adr/0022-types-in-place.md).
    expect(chained / alone).toBeLessThan(2)
  })
})

const INPUT = (i: number): string =>
  `z.object({ id: z.string(), n${i}: z.number().optional(), tags: z.array(z.string()), kind: z.enum(['a', 'b']),
    nested: z.object({ x: z.number(), deep: z.object({ flag: z.boolean().default(false) }) }) })`
const OUTPUT = (i: number): string =>
  `z.object({ url${i}: z.string(), items: z.array(z.object({ a: z.number() })) })`
const BODY = (i: number): string =>
  `({ url${i}: v.id + v.kind + v.nested.deep.flag, items: [{ a: v.nested.x }] })`

function repeat(line: (index: number) => string): string {
  return Array.from({ length: 50 }, (_, index) => line(index)).join('\n')
}

/** Has the compiler check a program as if it stood beside this file, and returns what it counted. */
function instantiations(text: string): number {
  const path = fileURLToPath(new URL('program.ts', import.meta.url))
  const options: ts.CompilerOptions = {
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    types: [],
  }
  const host = ts.createCompilerHost(options)
  const { readFile, fileExists } = host
  host.fileExists = (file) => file === path || fileExists(file)
  host.readFile = (file) => (file === path ? `import { z } from 'zod'\n${text}` : readFile(file))
  const program = ts.createProgram([path], options, host)
  expect(
    program.getSemanticDiagnostics(program.getSourceFile(path)).map((problem) => problem.messageText),
  ).toEqual([])
  return program.getInstantiationCount()
}
