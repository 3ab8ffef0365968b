import { readFileSync, realpathSync } from 'node:fs'
import { build } from 'esbuild'

export interface BuiltGraph {
  /** Source files of ours that the built files were made from, such as `server/server.ts`. */
  readonly sources: readonly string[]
  /** Packages whose code is reached. */
  readonly packages: readonly string[]
  /** Modules of Node, such as `node:fs`. */
  readonly builtins: readonly string[]
}

export interface GraphOptions {
  readonly runtime: 'node' | 'other'
  /** Also what is loaded later, by `import()`. */
  readonly withLater?: boolean
}

/** What importing a file loads on a runtime, found by reading the built files. */
export async function readGraph(file: string, options: GraphOptions): Promise<BuiltGraph> {
  const onNode = options.runtime === 'node'
  const { metafile } = await build({
    entryPoints: [file],
    bundle: true,
    splitting: true,
    treeShaking: false,
    format: 'esm',
    platform: onNode ? 'node' : 'neutral',
    mainFields: ['module', 'main'],
    external: ['node:*'],
    metafile: true,
    write: false,
    outdir: 'out',
    logLevel: 'silent',
  })
  const reached = new Set<string>()
  const builtins = new Set<string>()
  // What is loaded later has entry points of its own.
  const entries = Object.values(metafile.outputs).flatMap(({ entryPoint }) => entryPoint ?? [])
  const entry = entries.find((path) => realpathSync(path) === realpathSync(file))
  const waiting = entry === undefined ? [] : [entry]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (reached.has(path)) continue
    reached.add(path)
    for (const next of metafile.inputs[path]?.imports ?? []) {
      if (next.kind === 'dynamic-import' && !options.withLater) continue
      if (next.external) builtins.add(next.path)
      else waiting.push(next.path)
    }
  }
  return {
    sources: [...reached].flatMap(sourcesOf),
    packages: [...new Set([...reached].map(packageOf).filter((name) => name !== '@gantry/mcp'))],
    builtins: [...builtins],
  }
}

/** The bundler leaves the name of each source before its code. */
function sourcesOf(path: string): string[] {
  if (packageOf(path) !== '@gantry/mcp') return []
  return [...readFileSync(path, 'utf8').matchAll(/^\/\/ src\/(\S+)$/gm)].map((match) => match[1]!)
}

function packageOf(path: string): string {
  return /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? path
}
