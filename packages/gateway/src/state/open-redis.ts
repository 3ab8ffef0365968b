import { readSmallFileSync, type RedisAccountModel, type RedisModel } from '../model/index.ts'
import {
  openRedisStore,
  StoreError,
  type Away,
  type RedisAccount,
  type Sealing,
  type Store,
} from '../store/index.ts'
import type { Log } from '../telemetry/log.ts'

const MOST_PEM_BYTES = 256 * 1024
const CHECK = 'sealing'

/** The store of a configuration with `store.redis`. */
export async function openRedis(model: RedisModel, sealing: Sealing, log?: Log): Promise<Store> {
  const { place, account, tls, ...rest } = model
  return openRedisStore({
    ...rest,
    sealing,
    onAway: log && ((away) => tell(away, log)),
    account: toAccount(account),
    place: place.kind === 'sentinels' ? { ...place, account: toAccount(place.account) } : place,
    tls: tls && { ...read('ca', tls.ca), ...read('cert', tls.cert), ...read('key', tls.key) },
  })
}

/**
 * Checks that replicas have a key in common: a replica that cannot read what the others write would silently lose
 * sign-ins and tasks. Each replica writes the row again, so that a key which was removed from all rings is noticed.
 */
export async function checkSealing(store: Store): Promise<void> {
  if (store.away) return
  const rows = store.rows({ name: 'key-check', secret: true, maxRows: 1 })
  try {
    const isThere = (await rows.get(CHECK)) !== undefined
    if (isThere) await rows.put(CHECK, 'readable')
    // The second of two that start at once reads what the first has written.
    else if ((await rows.swap(CHECK, undefined, 'readable')) === undefined) await rows.get(CHECK)
  } catch (error) {
    if ((error as StoreError).code !== 'unreadable') throw error
    throw new StoreError(
      'unusable',
      'Redis holds state of a gateway that seals it with another key: give all of them the same "server.sealingKeys", or this one a "store.redis.prefix" of its own',
      { cause: error },
    )
  }
}

function tell(away: Away | undefined, log: Log): void {
  if (!away) return log('info', 'The store can be reached again', { event: 'store-back' })
  log('warn', `The store cannot be reached, and is tried again: ${away.reason}`, { event: 'store-away' })
}

function toAccount({ username, password }: RedisAccountModel): RedisAccount {
  return { username, password: password?.reveal() }
}

function read<Name extends string>(name: Name, file: string | undefined): { [key in Name]?: string } {
  return (file === undefined ? {} : { [name]: readSmallFileSync(file, { most: MOST_PEM_BYTES }) }) as {
    [key in Name]?: string
  }
}
