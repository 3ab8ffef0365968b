import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { parseArgs } from 'node:util'

// Contestants that need nothing from npm: a short run does without the others.
const OURSELVES = ['bare', 'ours', 'direct', 'raw']

const USAGE = `npm run bench -- [NAME…] [OPTIONS]

NAME           cases whose name begins so; all without one, but those beside native programs: 'native' builds
               these with cargo and go
--list         prints the names of the cases
--short        a smoke run of at most two minutes that fails on errors, never on a time
--compare      fails when a ratio is worse than in bench/recorded.json by more than 10 %. A case where one is gets
               measured twice more, and only what is worse each time counts
--record       writes what was measured to bench/recorded.json, docs/benchmarks.md and its pictures
--docs         writes docs/benchmarks.md and its pictures from bench/recorded.json, and measures nothing
--rounds N     how often each contestant has its turn (7)
--ms N         how long a turn takes, in milliseconds (1000)
--only A,B     contestants whose name begins so
--generator G  'wrk' or 'node', for load over HTTP; wrk where it is installed
--cpu-prof     writes CPU profiles of our side to bench/profiles/
--no-build     measures what is built, even when sources are newer`

/** The options of the command line, or undefined after help was printed. */
export function readOptions(args) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    allowNegative: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      list: { type: 'boolean' },
      short: { type: 'boolean', default: false },
      compare: { type: 'boolean', default: false },
      docs: { type: 'boolean', default: false },
      record: { type: 'boolean', default: false },
      build: { type: 'boolean', default: true },
      'cpu-prof': { type: 'boolean', default: false },
      rounds: { type: 'string' },
      ms: { type: 'string' },
      only: { type: 'string' },
      generator: { type: 'string' },
    },
  })
  if (values.help) {
    console.log(USAGE)
    return undefined
  }
  const { short } = values
  const only = values.only?.split(',') ?? (short ? OURSELVES : undefined)
  const isChosen = ({ name }) => only === undefined || only.some((prefix) => name.startsWith(prefix))
  return {
    ...values,
    names: positionals,
    chosen: (contestants) => contestants.filter(isChosen),
    peers: only === undefined || only.some((prefix) => !OURSELVES.includes(prefix)),
    rounds: number('rounds', values.rounds ?? (short ? 1 : 7)),
    ms: number('ms', values.ms ?? (short ? 300 : 1000)),
    warmMs: short ? 200 : 1000,
    wrk: useWrk(values),
    profiles: values['cpu-prof'] ? join(import.meta.dirname, '..', 'profiles') : undefined,
    log: console.log,
  }
}

function number(name, text) {
  const value = Number(text)
  if (value > 0) return value
  throw new Error(`--${name} must be a number above 0, not '${text}'`)
}

// wrk counts in whole seconds, which a short run has no time for.
function useWrk({ generator, short }) {
  if (generator !== undefined) return generator === 'wrk'
  return !short && process.env.PATH.split(delimiter).some((folder) => existsSync(join(folder, 'wrk')))
}
