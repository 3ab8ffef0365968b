import { ratio, summary } from './statistics.mjs'

/**
 * Measures the contestants of a case against each other: all are started and warmed up, then take turns for
 * some rounds, each round in another order, so that what disturbs the machine meets everyone.
 */
export async function measureCase(definition, options) {
  const { rounds, ms, warmMs, log, profiles } = options
  const nodeArgs = (name) => (profiles && name === 'ours' ? profileArgs(profiles, definition.id) : [])
  const entrants = []
  const errors = {}
  try {
    for (const contestant of definition.contestants) {
      try {
        const session = await contestant.open({ ...options, nodeArgs: nodeArgs(contestant.name) })
        entrants.push({ name: contestant.name, session, samples: [] })
        if (definition.warm !== false) await session.sample(warmMs)
      } catch (error) {
        errors[contestant.name] = error.message
        log(`    ${contestant.name} failed: ${error.message}`)
      }
    }
    const running = entrants.filter(({ name }) => !(name in errors))
    for (let round = 0; round < (definition.rounds ?? rounds); round++) {
      for (let turn = 0; turn < running.length; turn++) {
        const entrant = running[(turn + round) % running.length]
        entrant.samples.push(await entrant.session.sample(ms))
      }
    }
    return { ...describe(definition, running), ...(Object.keys(errors).length > 0 && { errors }) }
  } finally {
    await Promise.allSettled(entrants.map(({ session }) => session.close()))
  }
}

function profileArgs(folder, id) {
  return ['--cpu-prof', `--cpu-prof-dir=${folder}`, `--cpu-prof-name=${id}.cpuprofile`]
}

function describe({ id, title, metrics, goals = [] }, entrants) {
  const samples = Object.fromEntries(entrants.map((entrant) => [entrant.name, entrant.samples]))
  const values = (name, metric) => samples[name].map((sample) => sample[metric])
  const figures = Object.fromEntries(
    Object.keys(metrics).map((metric) => [
      metric,
      Object.fromEntries(entrants.map(({ name }) => [name, figure(name, metric)])),
    ]),
  )

  function figure(name, metric) {
    const own = values(name, metric)
    if (own.some((value) => !Number.isFinite(value))) return undefined
    const others = entrants.filter(
      (other) => other.name !== name && (name === 'ours' || other.name === 'bare'),
    )
    const over = Object.fromEntries(
      others.map((other) => [other.name, ratio(own, values(other.name, metric))]),
    )
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
