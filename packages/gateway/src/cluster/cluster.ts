import type { Gateway } from '../gateway.ts'
import type { ClusterModel } from '../model/index.ts'
import type { Store } from '../store/index.ts'
import type { Log } from '../telemetry/log.ts'
import { createPooledFetch } from '../targets/fetch/pooled-fetch.ts'
import { HopPort, type HopSessions } from './hop-port.ts'
import { HopTls } from './hop-tls.ts'
import { Members } from './members.ts'
import { Owners } from './owners.ts'
import { Passports } from './passport.ts'
import { type AnswerQuestion, GatewayQuestions } from './questions.ts'
import { SessionPlaces } from './session-places.ts'

export interface ClusterOptions {
  readonly model: ClusterModel
  readonly gateway: Gateway
  readonly store: Store
  /** The secrets that the gateways share; the first signs. */
  readonly keys: readonly string[]
  readonly log: Log
  /** See `Members`. */
  readonly scope: string
  readonly sessions: HopSessions
  /** Ends sessions: others may have them. */
  readonly letGo: () => void
}

/** Several gateways that act as one: which gateways live, which gateway has which program, and how to reach it. */
export class Cluster {
  readonly #port: HopPort
  readonly #members: Members
  readonly #owners: Owners
  readonly sessions: SessionPlaces
  /** Asks the others what they do. */
  readonly questions: GatewayQuestions

  private constructor(
    { sessions, questions }: Pick<Cluster, 'sessions' | 'questions'>,
    port: HopPort,
    members: Members,
    owners: Owners,
  ) {
    this.sessions = sessions
    this.questions = questions
    this.#port = port
    this.#members = members
    this.#owners = owners
  }

  /** From now on the programs of the gateway are shared with the others. */
  static async join({
    model,
    gateway,
    store,
    keys,
    log,
    letGo,
    sessions,
    scope,
  }: ClusterOptions): Promise<Cluster> {
    const passports = new Passports(keys)
    const tls = model.tls && new HopTls(model.tls)
    let members: Members | undefined
    // The others ask at this address already: for a gateway that was there before.
    const isOwn = (id: string): boolean => id === members?.id && !members.isLate
    const port = new HopPort({ gateway, passports, tls, sessions, isOwn })
    const bound = await port.listen(model.host, model.port)
    const address = model.address ?? `${tls ? 'https' : 'http'}://${model.host}:${bound}`
    const letGoOf = (names: readonly string[]): void => {
      for (const name of names) void gateway.target(name)?.letGo()
    }
    const joining = Members.join({
      store,
      address,
      scope,
      log,
      onGone: () => {
        letGoOf(owners.forget())
        letGo()
      },
      // When the store is away again meanwhile, this comes again.
      onDoubt: () => void owners.restore().then(letGoOf, () => {}),
    })
    members = await joining.catch(async (error: unknown) => {
      // The open port would keep the process alive.
      await port.close(0)
      throw error
    })
    const fetch = tls && createPooledFetch(gateway.services.arriving, () => tls.asClient)
    const owners = new Owners({ store, members, passports, fetch })
    gateway.services.owners = owners
    log('info', 'The gateway works together with others', {
      address,
      members: await members.count().catch(() => undefined),
    })
    const ways = {
      sessions: new SessionPlaces({ store, members, passports, tls }),
      questions: new GatewayQuestions({ members, passports, tls }),
    }
    return new Cluster(ways, port, members, owners)
  }

  /** From now on this gateway answers when another gateway asks what it does. */
  set answer(answer: AnswerQuestion) {
    this.#port.answer = answer
  }

  /** The others take over what is here; calls under way may end. */
  async leave(grace: number): Promise<void> {
    // From now on sessions without calls go on at other gateways.
    const ended = this.#port.close(grace)
    await this.#owners.leave()
    await ended
    await this.#members.leave()
  }
}
