import { type GatewayModel, isSame, type TargetModel } from '../model/index.ts'

/** The differences of a new configuration. Everything else is left running. */
export interface ModelDiff {
  readonly added: readonly TargetModel[]
  readonly removed: readonly TargetModel[]
  readonly changed: readonly TargetChange[]
  /** Names of targets that keep their connections. */
  readonly untouched: readonly string[]
  readonly sections: readonly ModelSection[]
}

export interface TargetChange {
  readonly name: string
  readonly next: TargetModel
  readonly keys: readonly string[]
  /** Whether open connections are no longer what the file asks for. */
  readonly reconnect: boolean
}

export type ModelSection = Exclude<keyof GatewayModel, 'targets' | 'file'>

/** A section that is missing here does not compile: its changes would not be noticed. */
const SECTIONS = Object.keys({
  stateDir: true,
  server: true,
  auth: true,
  names: true,
  catalog: true,
  store: true,
  policy: true,
  results: true,
  views: true,
  limits: true,
  telemetry: true,
  audit: true,
} satisfies Record<ModelSection, true>) as readonly ModelSection[]

/** Settings that only change what is shown or how long things may take: connections survive them. */
const HARMLESS: ReadonlySet<string> = new Set([
  'title',
  'prefix',
  'maxInstances',
  'start',
  'required',
  'idleStop',
  'timeouts',
  'concurrency',
  'queue',
  'restart',
  'tasks',
  'health',
  'tools',
  'prompts',
  'resources',
])

export function diffModels(previous: GatewayModel, next: GatewayModel): ModelDiff {
  const before = new Map(previous.targets.map((target) => [target.name, target]))
  const after = new Set(next.targets.map((target) => target.name))
  const added: TargetModel[] = []
  const changed: TargetChange[] = []
  const untouched: string[] = []
  for (const target of next.targets) {
    const old = before.get(target.name)
    const change = old && diffTarget(old, target)
    if (!old) added.push(target)
    else if (change) changed.push(change)
    else untouched.push(target.name)
  }
  return {
    added,
    removed: previous.targets.filter((target) => !after.has(target.name)),
    changed,
    untouched,
    sections: SECTIONS.filter((section) => !isSame(previous[section], next[section])),
  }
}

export function isEmptyDiff(diff: ModelDiff): boolean {
  return [diff.added, diff.removed, diff.changed, diff.sections].every((list) => list.length === 0)
}

function diffTarget(previous: TargetModel, next: TargetModel): TargetChange | undefined {
  const keys = [...new Set([...Object.keys(previous), ...Object.keys(next)])].filter(
    (key) => !isSame(previous[key as keyof TargetModel], next[key as keyof TargetModel]),
  )
  if (keys.length === 0) return undefined
  return { name: next.name, next, keys, reconnect: keys.some((key) => !HARMLESS.has(key)) }
}
