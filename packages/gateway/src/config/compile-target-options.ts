import type { SelectionModel, TargetOptions } from '../model/index.ts'
import type { CompileContext } from './compile-context.ts'
import { duration } from './compile-server.ts'
import type { ConfigPath } from './problem.ts'
import type { Quantity, RawSelection } from './raw-config.ts'
import type { TargetSource } from './target-source.ts'

/** What every kind of target has, from the target itself, then `defaults`, then ours. */
export function compileTargetOptions(source: TargetSource, context: CompileContext): TargetOptions {
  const { name, raw, defaults } = source
  const isolation = raw.isolation ?? defaults.isolation ?? 'auto'
  const isShared = isolation === 'shared' || isolation === 'auto'
  const timeouts = { ...defaults.timeouts, ...raw.timeouts }
  const restart = { ...defaults.restart, ...raw.restart }
  const health = { ...defaults.health, ...raw.health }
  return {
    name,
    title: raw.title,
    enabled: isEnabled(source, context),
    disabledReason: undefined,
    prefix: compilePrefix(source),
    isolation,
    maxInstances: raw.maxInstances ?? defaults.maxInstances ?? 50,
    // There is nobody to start a private connection for yet.
    start: isShared ? (raw.start ?? defaults.start ?? 'eager') : 'lazy',
    required: raw.required ?? false,
    idleStop: durationOrOff(raw.idleStop ?? defaults.idleStop, isShared ? false : '5m'),
    timeouts: {
      start: duration(timeouts.start, '60s'),
      install: duration(timeouts.install, '15m'),
      idle: duration(timeouts.idle, '60s'),
      request: duration(timeouts.request, '10m'),
    },
    concurrency: raw.concurrency ?? defaults.concurrency ?? 64,
    queue: raw.queue ?? defaults.queue ?? 1000,
    era: raw.era ?? defaults.era ?? 'auto',
    tasks: raw.tasks ?? defaults.tasks ?? 'wait',
    restart: {
      policy: restart.policy ?? 'always',
      minDelay: duration(restart.minDelay, '500ms'),
      maxDelay: duration(restart.maxDelay, isElsewhere(raw) ? '5s' : '1m'),
      quarantineAfter: restart.quarantineAfter ?? 5,
      quarantineFor: duration(restart.quarantineFor, '5m'),
    },
    health: {
      interval: durationOrOff(health.interval, '30s'),
      timeout: duration(health.timeout, '10s'),
      failures: health.failures ?? 3,
    },
    forwardHeaders: (raw.forwardHeaders ?? defaults.forwardHeaders ?? []).map((header) =>
      header.toLowerCase(),
    ),
    tools: compileSelection(raw.tools, raw.disabledTools),
    prompts: compileSelection(raw.prompts),
    resources: compileSelection(raw.resources),
  }
}

export function compileSelection(
  raw: RawSelection = {},
  alsoExclude: readonly string[] = [],
): SelectionModel {
  return {
    include: raw.include ?? [],
    exclude: [...(raw.exclude ?? []), ...alsoExclude],
    rename: raw.rename ?? {},
    describe: raw.describe ?? {},
  }
}

/** A name fit for tool names: models' APIs take letters, digits, `_` and `-` only. */
export function toPrefix(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]+/g, '-').replaceAll(/^-+|-+$/g, '') || 'target'
}

/** Asking a server again costs next to nothing; starting a program again and again does not. */
function isElsewhere({ command, module, replay }: TargetSource['raw']): boolean {
  return command === undefined && module === undefined && replay === undefined
}

function compilePrefix({ name, raw, prefixed }: TargetSource): string {
  if (raw.prefix === false || (raw.prefix === undefined && !prefixed)) return ''
  return raw.prefix ?? toPrefix(name)
}

function isEnabled({ raw, path }: TargetSource, context: CompileContext): boolean {
  if (raw.disabled === true) return false
  if (typeof raw.enabled !== 'string') return raw.enabled ?? true
  return readBoolean(raw.enabled, [...path, 'enabled'], context)
}

function readBoolean(reference: string, path: ConfigPath, context: CompileContext): boolean {
  const text = context.plain(reference, path).trim().toLowerCase()
  if (['', '0', 'false', 'no', 'off'].includes(text)) return false
  if (['1', 'true', 'yes', 'on'].includes(text)) return true
  const message = `${reference} is neither true nor false`
  context.report({ code: 'invalid-value', path, message, fix: 'Set it to "true" or "false"' })
  return false
}

function durationOrOff(raw: Quantity | false | undefined, fallback: Quantity | false): number | undefined {
  const value = raw ?? fallback
  return value === false ? undefined : duration(value, 0)
}
