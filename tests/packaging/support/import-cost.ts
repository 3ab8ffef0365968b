import { execFileSync } from 'node:child_process'

const RUNS = 5

export interface Imported {
  readonly specifier: string | undefined
  /** Where it is resolved from. */
  readonly cwd: string
}

/**
 * The CPU time of Node processes that import one thing each, in milliseconds: the least of several runs, which
 * take turns, so that a busy moment of the machine hits all alike.
 */
export function cpuOfImports<Name extends string>(imports: Record<Name, Imported>): Record<Name, number> {
  const least = {} as Record<Name, number>
  for (let run = 0; run < RUNS; run++) {
    for (const name of Object.keys(imports) as Name[])
      least[name] = Math.min(least[name] ?? Number.POSITIVE_INFINITY, cpuOf(imports[name]))
  }
  return least
}

function cpuOf({ specifier, cwd }: Imported): number {
  const load = specifier === undefined ? '' : `await import(${JSON.stringify(specifier)});`
  const script = `${load}const { user, system } = process.cpuUsage(); console.log((user + system) / 1000)`
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '' },
  })
  return Number(output)
}
