import { randomUUID } from 'node:crypto'
import { connect } from '@gantry/mcp/client'
import { FAULTS, killGateway } from './faults.mjs'
import { pidsOf, randomFrom, until } from './processes.mjs'
import { OTHERS, World } from './world.mjs'

/** Longer than any time-out of the gateway: what has no answer by then has been lost. */
const PATIENCE = 20_000

/**
 * Breaks things for so many rounds. In each, calls of both eras are under way at every target when a fault
 * strikes; all of them must be answered, those of other targets correctly, and everything must work again after.
 */
export async function runChaos({
  rounds,
  targets = 20,
  seed = Date.now() % 1e6,
  gatewayEvery = 25,
  log = () => {},
}) {
  const report = {
    rounds: 0,
    seed,
    calls: 0,
    errors: 0,
    orphans: 0,
    lost: [],
    unhandled: [],
    crashes: [],
    recoveries: {},
  }
  const onUnhandled = (reason) => report.unhandled.push(String(reason?.stack ?? reason))
  process.on('unhandledRejection', onUnhandled)
  const world = new World(targets)
  await world.start()
  const clients = {
    legacy: await connect(world.endpoint, { era: 'legacy', elicit }),
    modern: await connect(world.endpoint, { era: 'modern', elicit }),
  }
  try {
    await everythingWorks(world, clients, report, 'the start')
    let told = 0
    for (let round = 1; round <= rounds; round++) {
      const random = randomFrom(seed * 1000 + round)
      await playRound({ world, clients, report, random, round, gatewayEvery })
      report.rounds = round
      for (const line of report.lost.slice(told)) log(line)
      told = report.lost.length
      if (round % 50 === 0) log(`${round} rounds, ${report.calls} calls, ${report.lost.length} lost`)
    }
  } finally {
    await Promise.all(Object.values(clients).map((client) => client.close().catch(() => {})))
    report.crashes = world.crashes
    report.orphans += (await world.close()).length
    if (/unhandled/i.test(world.stderr)) report.unhandled.push(world.stderr.slice(-2000))
    process.off('unhandledRejection', onUnhandled)
  }
  return report
}

/** Says back what it is asked, so that an answer shows whose question reached whom. */
const elicit = ({ message }) => ({ action: 'accept', content: { name: message } })

async function playRound({ world, clients, report, random, round, gatewayEvery }) {
  const cleanUp = []
  const pick = () => world.targets[Math.floor(random() * world.targets.length)]
  const names = Object.keys(FAULTS)
  const fault = round % gatewayEvery === 0 ? 'kill the gateway' : names[Math.floor(random() * names.length)]
  const busy = [...new Set([random() < 0.2 ? 'asker' : pick(), pick(), pick(), ...OTHERS])]
  const calls = busy.flatMap((name) =>
    Object.values(clients).map((client) =>
      startCall(client, name, report, {
        ms: 50 + random() * 250,
        streams: random() < 0.5,
        asks: OTHERS.includes(name) && random() < 0.5,
      }),
    ),
  )
  await new Promise((resolve) => setTimeout(resolve, random() * 120))
  const struck = Date.now()
  const host = {
    world,
    random,
    report,
    later: (act) => cleanUp.push(act),
    pick: () => busy[0],
    mustWork: (name) => mustWork(name, clients, report, `round ${round}, ${fault}`),
    pidOf: (name) => pidOf(clients, name),
  }
  const touched =
    fault === 'kill the gateway' ? await killGateway(host).then(() => 'all') : await FAULTS[fault](host)
  for (const call of calls) {
    const outcome = await call.settled
    const excused = touched === 'all' || touched.includes(call.name)
    if (outcome === 'lost') report.lost.push(`round ${round}, ${fault}: ${call.name} was never answered`)
    else if (outcome.error) {
      report.errors++
      if (!excused) report.lost.push(`round ${round}, ${fault}: ${call.name} failed: ${outcome.error}`)
    } else if (outcome.text !== call.nonce) {
      report.lost.push(`round ${round}, ${fault}: ${call.name} got the answer of another call`)
    } else if (call.streams && !outcome.heard) {
      report.lost.push(`round ${round}, ${fault}: ${call.name} got no progress`)
    }
  }
  const needed = touched === 'all' ? world.names : touched.filter((name) => name !== 'sluggish')
  await recover(needed, clients, report, `round ${round}, ${fault}`)
  note(report.recoveries, fault, Date.now() - struck)
  for (const act of cleanUp) act()
}

/** With `streams`, its progress is wanted too, which makes the gateway answer with a stream of events. */
function startCall(client, name, report, { ms = 0, streams = false, asks = false } = {}) {
  const nonce = randomUUID()
  let heard = false
  const onProgress = () => {
    heard = true
  }
  report.calls++
  const answered = client
    .call(`${name}_late`, { nonce, ms: Math.round(ms), asks }, streams ? { onProgress } : {})
    .then(
      (result) => ({ text: result.text(), heard }),
      (error) => ({ error: error.message }),
    )
  const late = new Promise((resolve) => setTimeout(() => resolve('lost'), PATIENCE).unref())
  return { name, nonce, streams, settled: Promise.race([answered, late]) }
}

async function pidOf(clients, name) {
  const result = await clients.modern.call(`${name}_pid`)
  return Number(result.text())
}

/** One call of each era that nothing excuses. */
async function mustWork(name, clients, report, when) {
  const calls = Object.values(clients).map((client) => startCall(client, name, report))
  for (const call of calls) {
    const outcome = await call.settled
    if (outcome.text !== call.nonce) report.lost.push(`${when}: ${name} failed: ${outcome.error ?? outcome}`)
  }
}

/** Everything that was struck answers again, to clients of both eras. */
async function recover(names, clients, report, when) {
  for (const [era, client] of Object.entries(clients)) {
    const back = await Promise.all(
      names.map((name) =>
        until(
          () =>
            client.call(`${name}_late`, { nonce: 'back', ms: 0 }).then(
              (r) => r.text() === 'back',
              () => false,
            ),
          PATIENCE,
        ),
      ),
    )
    for (const [index, ok] of back.entries()) {
      if (!ok) report.lost.push(`${when}: ${names[index]} did not come back for a ${era} client`)
    }
  }
}

async function everythingWorks(world, clients, report, when) {
  await until(async () => (await pidsOf(world.mark)).length >= world.targets.length, 30_000, 200)
  await recover(world.names, clients, report, when)
}

function note(recoveries, fault, milliseconds) {
  recoveries[fault] ??= []
  recoveries[fault].push(milliseconds)
}

/** A few lines that say how it went. */
export function describeReport(report) {
  const lines = [
    `${report.rounds} rounds (seed ${report.seed}), ${report.calls} calls, ${report.errors} of them errors that the fault explains`,
    `${report.orphans} orphans, ${report.lost.length} lost answers, ${report.unhandled.length} unhandled rejections, ${report.crashes.length} crashes`,
    'recovery, from the fault to an answer for clients of both eras:',
  ]
  for (const [fault, times] of Object.entries(report.recoveries).sort()) {
    const sorted = [...times].sort((a, b) => a - b)
    const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
    lines.push(
      `  ${fault}: ${times.length} times, median ${at(0.5)} ms, 95 % ${at(0.95)} ms, longest ${sorted.at(-1)} ms`,
    )
  }
  return [
    ...lines,
    ...report.lost.slice(0, 20),
    ...report.unhandled.slice(0, 3),
    ...report.crashes.slice(0, 3),
  ].join('\n')
}
