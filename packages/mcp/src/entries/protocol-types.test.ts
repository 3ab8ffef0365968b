import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { beforeAll, describe, expect, it } from 'vitest'

const ENTRIES = { '@gantry/mcp': '../index.ts', './server': './server.ts', './client': './client.ts' }
const VOCABULARY = '../protocol/types.ts'
/** What options and results have besides the specification's vocabulary. */
const OTHERS = ['Duration', 'Era', 'Revision']

const pathOf = (file: string): string => fileURLToPath(new URL(file, import.meta.url))
let program: ts.Program
let vocabulary: Map<string, ts.Symbol>

/** What a module exports, by name, each as the declaration that it stands for in the end. */
function exportsOf(file: string): Map<string, ts.Symbol> {
  const checker = program.getTypeChecker()
  const module = checker.getSymbolAtLocation(program.getSourceFile(pathOf(file))!)!
  return new Map(
    checker.getExportsOfModule(module).map((symbol) => {
      const isAlias = (symbol.flags & ts.SymbolFlags.Alias) !== 0
      return [symbol.name, isAlias ? checker.getAliasedSymbol(symbol) : symbol]
    }),
  )
}

describe('the types of the protocol', () => {
  beforeAll(() => {
    const options: ts.CompilerOptions = {
      noEmit: true,
      strict: true,
      skipLibCheck: true,
      allowImportingTsExtensions: true,
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.NodeNext,
      types: [],
    }
    program = ts.createProgram(Object.values(ENTRIES).map(pathOf), options)
    vocabulary = exportsOf(VOCABULARY)
    expect(vocabulary.size).toBeGreaterThan(40)
    const protocol = exportsOf('../protocol/index.ts')
    for (const name of OTHERS) vocabulary.set(name, protocol.get(name)!)
  })

  // A class called `Tool` would hide the type of what `tools/list` answers: same name, another declaration.
  it.each(Object.entries(ENTRIES))('all have their own names in %s', (_entry, file) => {
    const exported = exportsOf(file)
    const hidden = [...vocabulary].filter(([name, type]) => exported.get(name) !== type)
    expect(hidden.map(([name]) => name)).toEqual([])
  })
})
