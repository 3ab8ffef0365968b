import { join } from 'node:path'
import { ratio, summary } from './statistics.mjs'

/**
 * Measures the contestants of a case against each other: all are started and warmed up, then take turns for
 * some rounds, each round in another order, so that what disturbs the machine meets everyone. A case whose figures
 * scatter has `moreRounds`, so many times as many as others; one that fills a server is measured `once`. `longerWarm`: so
 * many times as long a warm-up. V8 compiles the same program in another way each time: a case that compares ours with
 * ours has `starts`, and its rounds are shared out among them.
 */
export async function measureCase(definition, options) {
  const { starts = 1 } = definition
  const rounds = definition.once ? 1 : options.rounds * (definition.moreRounds ?? 1)
  const samples = Object.fromEntries(definition.contestants.map(({ name }) => [name, []]))
  const errors = {}
  for (let start = 0; start < Math.min(starts, rounds); start++) {
    await measureStart(definition, options, Math.ceil(rounds / starts), { samples, errors })
  }
  for (const name of Object.keys(errors)) delete samples[name]
  return { ...describe(definition, samples), ...(Object.keys(errors).length > 0 && { errors }) }
}

/** Starts the contestants once, and adds what is measured to `samples`. */
async function measureStart(definition, options, rounds, { samples, errors }) {
  const { ms, warmMs, log, profiles } = options
  const nodeArgs = (name) =>
    profiles && name.startsWith('ours') ? profileArgs(profiles, definition.id, name) : []
  const entrants = []
  /** A contestant that fails is out; the others go on. */
  const attempt = async (name, work) => {
    if (name in errors) return
    try {
      await work()
    } catch (error) {
      errors[name] = error.message
      log(`    ${name} failed: ${error.message}`)
    }
  }
  try {
    for (const { name, open } of definition.contestants) {
      await attempt(name, async () => {
        const session = await open({ ...options, nodeArgs: nodeArgs(name) })
        entrants.push({ name, session })
        if (definition.warm !== false) await session.sample(warmMs * (definition.longerWarm ?? 1))
      })
    }
    for (let round = 0; round < rounds; round++) {
      for (let turn = 0; turn < entrants.length; turn++) {
        const { name, session } = entrants[(turn + round) % entrants.length]
        await attempt(name, async () => samples[name].push(await session.sample(ms)))
      }
    }
  } finally {
    await Promise.allSettled(entrants.map(({ session }) => session.close()))
  }
}

/** A folder for each contestant: a process has threads besides its main one, and each writes a profile. */
function profileArgs(folder, id, name) {
  const own = name === 'ours' ? id : `${id}-${name.replace(/^ours\W*/, '').replace(/\W+/g, '-')}`
  return ['--cpu-prof', `--cpu-prof-dir=${join(folder, own)}`]
}

function describe({ id, title, metrics, goals = [] }, samples) {
  const names = Object.keys(samples)
  const values = (name, metric) => samples[name].map((sample) => sample[metric])
  const figures = Object.fromEntries(
    Object.keys(metrics).map((metric) => [
      metric,
      Object.fromEntries(names.map((name) => [name, figure(name, metric)])),
    ]),
  )

  function figure(name, metric) {
    const own = values(name, metric)
    if (own.some((value) => !Number.isFinite(value))) return undefined
    const others = names.filter((other) => other !== name && (name === 'ours' || other === 'bare'))
    const over = Object.fromEntries(others.map((other) => [other, ratio(own, values(other, metric))]))
    return { ...summary(own), over }
  }

  return { id, title, metrics, figures, goals: goals.map((goal) => judge(goal, figures)) }
}

/** Whether a goal holds, by the median. */
function judge(goal, figures) {
  const { metric, over, minus, atLeast, atMost } = goal
  const own = figures[metric]?.ours
  const value = over
    ? own?.over[over]?.median
    : own && own.median - (minus ? figures[metric][minus]?.median : 0)
  if (!Number.isFinite(value)) return goal
  return { ...goal, value, held: atLeast !== undefined ? value >= atLeast : value <= atMost }
}
