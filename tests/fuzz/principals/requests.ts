import type { Random } from '../random.ts'
import type { Answer, Person } from './person.ts'
import { spelled } from './spellings.ts'
import { SHARED } from './world.ts'

const MODERN = '2026-07-28'
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
export const CAPABILITIES = [
  {},
  { elicitation: { form: {} } },
  { elicitation: { form: {} }, ...TASKS },
  TASKS,
]
const VIEWS = ['desk', 'hall']

export type Params = Record<string, unknown>

/** One turn of one person, who knows every handle of the other. */
export interface Turn {
  readonly me: Person
  readonly other: Person
  readonly random: Random
}

let nextId = 1

export function newId(): number {
  return nextId++
}

/** An id that was used before, or none. */
export function earlierId(random: Random): number {
  return random.below(nextId)
}

/** Sends a request in the era of the moment: by itself, or in a session of one's own or of the other. */
export async function ask(turn: Turn, method: string, params: Params, path = pathOf(turn)): Promise<Answer> {
  const { me, random } = turn
  const hangUp = random.chance(0.05) ? { hangUpAfter: random.below(40) } : {}
  const wait = { patience: 150, ...hangUp }
  if (random.chance(0.5)) {
    const name = params.name ?? params.uri ?? params.taskId
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': MODERN,
      'io.modelcontextprotocol/clientInfo': { name: 'fuzz', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': random.pick(CAPABILITIES),
      ...(random.chance(0.3) && { progressToken: nextId, 'io.modelcontextprotocol/logLevel': 'debug' }),
    }
    const headers = {
      'mcp-protocol-version': MODERN,
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': encodeURI(name) }),
    }
    const body = { jsonrpc: '2.0', id: newId(), method, params: { ...params, _meta } }
    return me.send({ path, headers, body, ...wait })
  }
  const session = sessionOf(turn, path)
  const body = {
    jsonrpc: '2.0',
    id: newId(),
    method,
    params: { ...params, _meta: { progressToken: nextId } },
  }
  return me.send({ path, headers: inSession(session), body, ...wait })
}

export function inSession(session: string | undefined): Record<string, string> {
  return session === undefined ? {} : { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }
}

export function pathOf({ me, other, random }: Turn): string {
  if (random.chance(0.5)) return '/mcp'
  return `/mcp/${random.pick([...SHARED, ...VIEWS, ...me.vaults, ...other.vaults, me.view, other.view, `${other.vaults[0]}-door`])}`
}

/** A session of one's own at that endpoint if there is one, or one of the other. */
export function sessionOf({ me, other, random }: Turn, path?: string): string | undefined {
  if (random.chance(0.15)) return random.pick([...other.holdings.sessions, ...other.bait.sessions])
  const { sessions } = me.holdings
  const here = sessions.filter((session) => path === undefined || placeOf(session) === path)
  return random.pick(here.length > 0 ? here : sessions)
}

/** Sessions are good at the endpoint where they were opened only. */
export const places = new Map<string, string>()

export function placeOf(session: string | undefined): string {
  return (session !== undefined && places.get(session)) || '/mcp'
}

/** A handle of one's own or of the other, sometimes damaged. */
export function handle(
  { me, other, random }: Turn,
  kind: 'tasks' | 'cursors' | 'events' | 'results',
): string {
  const bait = kind === 'tasks' || kind === 'results' ? other.bait[kind] : []
  const others = [...bait, ...other.holdings[kind]]
  const found = random.pick([...(random.chance(0.4) ? me.holdings[kind] : others), 'made-up'])
  if (random.chance(0.9)) return found
  const at = random.below(found.length)
  return random.pick([found.slice(0, at), `${found.slice(0, at)}x${found.slice(at + 1)}`, `${found}${found}`])
}

/** Where something is: a shared target, one's own, or one of the other. */
function target({ me, other, random }: Turn): string {
  return random.pick([...SHARED.slice(0, 3), ...me.vaults, ...other.vaults, ...other.vaults])
}

/** The name as `/mcp` has it, or as the target's own endpoint has it. */
export function named(turn: Turn, name: string): { path: string; name: string } {
  const where = target(turn)
  if (turn.random.chance(0.4)) return { path: `/mcp/${where}`, name }
  const { me, other, random } = turn
  const path = random.chance(0.7) ? '/mcp' : `/mcp/${random.pick([...VIEWS, me.view, other.view])}`
  return { path, name: `${where}_${name}` }
}

/** A resource; one of the other in any spelling, for a server may read each of them as the same. */
export function addressed(turn: Turn): { path: string; uri: string } {
  const { me, other, random } = turn
  const where = target(turn)
  const isOthers = where === other.vaults[0] || where === other.vaults[1]
  const page = isOthers ? other.page : random.pick(['page', me.page])
  const uri = random.pick([`diary://${page}/today`, `diary://${page}/monday`, 'diary://cover'])
  const own = isOthers && random.chance(0.6) ? spelled(uri, random) : uri
  const all = random.chance(0.7) ? '/mcp' : `/mcp/${random.pick([...VIEWS, me.view, other.view])}`
  return random.chance(0.6) ? { path: all, uri: `${where}+${own}` } : { path: `/mcp/${where}`, uri: own }
}

export const marked = ({ me, random }: Turn): { mark: string } => ({
  mark: `${me.mark} ${random.below(1000)}`,
})
