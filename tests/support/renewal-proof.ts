import { setTimeout as sleep } from 'node:timers/promises'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, http, type Client } from '@gantry/mcp/client'
import { RotatingWorld, type Redemption } from './rotating-world.ts'
import { gantry, serveFrom, type SourceProcess } from './source-process.ts'
import { Visitor } from './visitor.ts'

export interface ProofOptions {
  readonly calls: number
  /** How often a process is killed after it has redeemed a refresh token, and before it has stored what it got. */
  readonly kills: number
  /** How often it stands still there, for longer than its lease lasts. */
  readonly pauses: number
  /** How often the keys of the vault are rotated meanwhile. */
  readonly rotations: number
  log?(line: string): void
}

export interface ProofReport {
  calls: number
  /** Calls that were made with the token of another person. */
  foreign: number
  /** Calls that were answered with the invitation to log in. */
  signedOut: number
  /** Calls that failed although their process lived. */
  failed: string[]
  generations: number
  /** Redemptions that others followed although their answers were not lost. */
  redeemedTwice: Redemption[]
  /** Generations of which the answers to two redemptions were used. */
  ownedTwice: number
  /** Refresh tokens whose answer was lost, and which another process redeemed again. */
  recovered: { killed: number; paused: number }
  /** How many accounts each rotation of the keys could not open. */
  unreadable: number[]
  seconds: number
}

type Disturbance = 'killed' | 'paused'

const PEOPLE: Record<string, string> = {
  ann: 'key-of-ann-0123456789-abcdefgh',
  bob: 'key-of-bob-0123456789-abcdefgh',
}
/** Seconds that access tokens last. */
const LIFE = 2
const NAME_PROCESS = new URL('./name-process.mjs', import.meta.url).href
/** Longer than a lease. */
const STANDSTILL = 12_000

/** A gateway that is started again whenever it was killed. */
class Slot {
  readonly #file: string
  readonly #killed = new WeakSet<SourceProcess>()
  running: Promise<SourceProcess>
  /** 0 while it starts. */
  pid = 0

  constructor(file: string) {
    this.#file = file
    this.running = this.#start()
  }

  async #start(): Promise<SourceProcess> {
    this.pid = 0
    const process = await serveFrom(this.#file, { preload: NAME_PROCESS })
    this.pid = process.child.pid!
    return process
  }

  async kill(): Promise<void> {
    const process = await this.running
    this.#killed.add(process)
    await process.kill()
    this.running = this.#start()
  }

  hasKilled(process: SourceProcess): boolean {
    return this.#killed.has(process)
  }

  async pause(): Promise<void> {
    const { child } = await this.running
    child.kill('SIGSTOP')
    void sleep(STANDSTILL).then(() => child.kill('SIGCONT'))
  }
}

/**
 * Two people call through two processes that share a state folder, while their tokens end every two seconds, every
 * answer is late by chance, and processes are disturbed between redeeming a refresh token and storing what they got.
 */
export async function proveRenewals(options: ProofOptions): Promise<ProofReport> {
  const dir = await mkdtemp(join(tmpdir(), 'gantry-renewals-'))
  const world = await new RotatingWorld().start()
  const file = join(dir, 'gantry.json')
  const auth = { apiKeys: Object.entries(PEOPLE).map(([name, key]) => ({ name, key })) }
  const mcpServers = { web: { url: world.web.url, credentials: 'user' } }
  await writeFile(file, JSON.stringify({ auth, mcpServers, stateDir: dir }))
  const slots = [new Slot(file), new Slot(file)]
  try {
    const { url } = await slots[0]!.running
    await slots[1]!.running
    for (const name of Object.keys(PEOPLE)) await logIn(world, url, name)
    world.expiresIn = LIFE
    return await new Proof(world, slots, { ...options, file }).run()
  } finally {
    for (const slot of slots) await (await slot.running).kill()
    await world.stop()
    await rm(dir, { recursive: true, force: true })
  }
}

async function logIn(world: RotatingWorld, url: string, name: string): Promise<void> {
  world.account = name
  world.expiresIn = LIFE
  const visitor = new Visitor(url)
  await visitor.submit(await visitor.signIn(PEOPLE[name]!, '/connect/to/web'))
}

class Proof {
  readonly #world: RotatingWorld
  readonly #slots: readonly Slot[]
  readonly #options: ProofOptions & { readonly file: string }
  readonly #report: ProofReport = {
    calls: 0,
    foreign: 0,
    signedOut: 0,
    failed: [],
    generations: 0,
    redeemedTwice: [],
    ownedTwice: 0,
    recovered: { killed: 0, paused: 0 },
    unreadable: [],
    seconds: 0,
  }
  readonly #disturbed: { kind: Disturbance; pid: number; from: number; to: number }[] = []
  #nextAt = 0
  readonly #began = Date.now()

  constructor(world: RotatingWorld, slots: readonly Slot[], options: ProofOptions & { file: string }) {
    this.#world = world
    this.#slots = slots
    this.#options = options
    this.#nextAt = this.#step
  }

  async run(): Promise<ProofReport> {
    const world = this.#world
    world.delay = () => sleep(Math.random() ** 3 * 250)
    world.answering = (redemption) => this.#disturb(redemption)
    const workers = [...this.#slots, ...this.#slots].flatMap((slot) =>
      Object.keys(PEOPLE).map((name) => this.#work(slot, name)),
    )
    await Promise.all([...workers, this.#rotate()])
    const report = this.#report
    report.generations = world.generations
    report.redeemedTwice = this.#repeated().filter((first) => this.#reasonOf(first) === undefined)
    report.ownedTwice = this.#ownedTwice()
    report.recovered = { killed: this.#recovered('killed'), paused: this.#recovered('paused') }
    report.seconds = Math.round((Date.now() - this.#began) / 1000)
    return report
  }

  get #step(): number {
    const { calls, kills, pauses } = this.#options
    return Math.floor(calls / (kills + pauses + 1))
  }

  get #isOver(): boolean {
    return this.#report.calls >= this.#options.calls && this.#wanted() === undefined
  }

  /** As an operator does it, with the command. */
  async #rotate(): Promise<void> {
    const { calls, rotations, file } = this.#options
    for (let done = 0; done < rotations; done++) {
      while (this.#report.calls < (calls * done) / rotations) await sleep(50)
      const said = await gantry(['vault', 'rotate', '--json', '--config', file])
      this.#report.unreadable.push((JSON.parse(said) as { unreadable: number }).unreadable)
    }
  }

  /** What is still to be seen. */
  #wanted(): Disturbance | undefined {
    if (this.#recovered('killed') < this.#options.kills) return 'killed'
    return this.#recovered('paused') < this.#options.pauses ? 'paused' : undefined
  }

  #recovered(kind: Disturbance): number {
    return this.#repeated().filter((first) => this.#reasonOf(first) === kind).length
  }

  /** Redemptions after which the same token was redeemed once more. */
  #repeated(): Redemption[] {
    const later = new Set<string>()
    return this.#world.redemptions.toReversed().filter(({ token }) => {
      const isRepeated = later.has(token)
      later.add(token)
      return isRepeated
    })
  }

  /**
   * A refresh token may be redeemed again only when the answer to its redemption was lost: the very process that
   * redeemed it was killed, or stood still for longer than its lease, while that answer was on its way. Nobody can have
   * stored it then, so the old token is the only one there is.
   */
  #reasonOf({ by, shownAt, answeredAt }: Redemption): Disturbance | undefined {
    return this.#disturbed.find(({ pid, from, to }) => pid === by && from <= answeredAt && to > shownAt)?.kind
  }

  #ownedTwice(): number {
    const used = this.#world.redemptions.filter(({ usedAt }) => usedAt < Number.POSITIVE_INFINITY)
    return used.length - new Set(used.map(({ token }) => token)).size
  }

  async #disturb({ by }: Redemption): Promise<void> {
    const kind = this.#wanted()
    if (kind === undefined || this.#report.calls < this.#nextAt) return
    const slot = this.#slots.find(({ pid }) => pid === by)
    // What it has got for the other person must be stored, so that a lost answer is always one that was on its way.
    if (!slot || this.#isStoring(by)) return
    this.#nextAt = this.#report.calls + Math.min(this.#step, 200)
    const from = Date.now()
    // What a killed process has sent arrives later, too.
    this.#disturbed.push({ kind, pid: by, from, to: kind === 'killed' ? Infinity : from + STANDSTILL })
    this.#options.log?.(`${this.#report.calls} calls: a process is ${kind}`)
    await (kind === 'killed' ? slot.kill() : slot.pause())
  }

  /** Whether an answer has left for this process that it has not used yet. */
  #isStoring(pid: number): boolean {
    const now = Date.now()
    return this.#world.redemptions.some(
      ({ by, answeredAt, usedAt }) =>
        by === pid && usedAt > now && answeredAt <= now && answeredAt > now - LIFE * 1000,
    )
  }

  async #work(slot: Slot, name: string): Promise<void> {
    while (!this.#isOver) {
      const process = await slot.running
      const client = await connectTo(process, name).catch(() => undefined)
      while (client && !this.#isOver && !slot.hasKilled(process)) {
        await this.#call(client, name, () => slot.hasKilled(process))
      }
      await client?.close().catch(() => {})
    }
  }

  async #call(client: Client, name: string, isKilled: () => boolean): Promise<void> {
    const report = this.#report
    const said = await client.call('web_who').then(
      (result) => result.text(),
      (error: Error) => error,
    )
    if (said instanceof Error) {
      // What a killed process had under way is not a call of the proof.
      if (!isKilled()) report.failed.push(said.message)
      return
    }
    report.calls++
    const account = /^Bearer at\.(\w+)\.\d+$/.exec(said)?.[1]
    if (account === name) return
    if (account !== undefined) report.foreign++
    else if (said.includes('/connect/')) report.signedOut++
    else report.failed.push(said)
  }
}

async function connectTo({ endpoint }: SourceProcess, name: string): Promise<Client> {
  const headers = { authorization: `Bearer ${PEOPLE[name]}` }
  const client = await connect(http(endpoint, { headers }), { era: 'modern' })
  await client.listTools().all()
  return client
}

export function describeProof(report: ProofReport): string {
  const {
    calls,
    foreign,
    signedOut,
    failed,
    generations,
    redeemedTwice,
    ownedTwice,
    recovered,
    unreadable,
    seconds,
  } = report
  return `${calls} calls in ${seconds} s: ${foreign} with another's token, ${signedOut} signed out, ${failed.length} failed; ${generations} generations, ${redeemedTwice.length} redeemed twice, ${ownedTwice} with two owners; ${recovered.killed} answers lost by kill -9 and ${recovered.paused} by a standstill were recovered; ${unreadable.length} rotations of the keys`
}
