import type { TargetCatalog } from '../../catalog/target-catalog.ts'
import type { TargetModel } from '../../model/index.ts'
import type { Cause, Explanation, TargetState } from '../contract.ts'

export interface TargetFacts {
  readonly model: TargetModel
  readonly state: TargetState
  readonly problem: Explanation | undefined
  readonly retryAt: number | undefined
  readonly catalog: Pick<TargetCatalog, 'snapshot' | 'stale' | 'problem'> | undefined
  readonly stderr: readonly string[]
  /** Which era its connections have, and why. */
  readonly eras?: string | undefined
}

/** The causes between the configuration and the lists of a target. */
export function targetCauses(facts: TargetFacts): Cause[] {
  const { model } = facts
  const target = model.name
  const causes: Cause[] = [
    { code: 'configured', status: 'ok', title: `The target "${target}" is in the configuration`, target },
  ]
  if (!model.enabled) return [...causes, disabled(model)]
  causes.push(stateCause(facts))
  if (!facts.catalog?.snapshot) causes.push(listMissing(facts, causes.at(-1)!.detail !== undefined))
  else if (facts.state === 'ready' && facts.catalog.problem !== undefined) {
    causes.push(listsIncomplete(target, facts.catalog.problem))
  }
  return causes
}

function listsIncomplete(target: string, detail: string): Cause {
  const title = `Not all lists of "${target}" could be fetched`
  return {
    code: 'list-missing',
    status: 'note',
    title,
    detail,
    fix: `Look it over: gantry doctor ${target}`,
    target,
  }
}

function disabled({ name, disabledReason }: TargetModel): Cause {
  return disabledReason === undefined
    ? {
        code: 'disabled',
        status: 'problem',
        title: `"${name}" is switched off in the configuration`,
        fix: `Set "enabled": true for "${name}".`,
        target: name,
      }
    : {
        code: 'disabled',
        status: 'problem',
        title: `"${name}" is held back: ${disabledReason}`,
        fix: 'Set what is missing in the environment of the gateway, and start it again.',
        target: name,
      }
}

function stateCause({ model, state, problem, retryAt, stderr, catalog, eras }: TargetFacts): Cause {
  const target = model.name
  // A list that is known is served, whatever has become of the target since.
  const status = catalog?.snapshot ? 'note' : 'problem'
  const because = {
    ...(problem && { detail: [problem.what, problem.meaning].filter(Boolean).join(' ') }),
    ...(problem?.fix !== undefined && { fix: problem.fix }),
    ...(stderr.length > 0 && { stderr: stderr.slice(-10) }),
    target,
  }
  switch (state) {
    case 'ready':
    case 'degraded':
      return {
        code: 'target-ready',
        status: 'ok',
        title: `"${target}" is connected`,
        ...(eras !== undefined && { detail: eras }),
        target,
      }
    case 'idle':
      return problem
        ? { code: 'target-failing', status, title: `"${target}" lost its connection`, ...because }
        : {
            code: 'target-idle',
            status: 'ok',
            title: `"${target}" is not running; it starts when it is needed`,
            target,
          }
    case 'starting':
      return {
        code: 'target-starting',
        status,
        title: `"${target}" is starting`,
        target,
        fix: 'Wait a moment.',
      }
    case 'needs-auth':
      return { code: 'needs-auth', status, title: `"${target}" wants a login`, ...because }
    case 'stopped':
      return {
        code: 'stopped',
        status,
        title: `"${target}" was stopped by hand`,
        fix: `Start it in the console, or with: gantry targets start ${target}`,
        target,
      }
    default: {
      const again = retryAt === undefined ? '' : `; the next try is in ${inWords(retryAt - Date.now())}`
      const title =
        state === 'quarantined'
          ? `"${target}" failed too often${again}`
          : `"${target}" does not start${again}`
      return { code: 'target-failing', status, title, ...because }
    }
  }
}

function inWords(milliseconds: number): string {
  const seconds = Math.max(1, Math.ceil(milliseconds / 1000))
  return seconds < 100 ? `${seconds} s` : `${Math.round(seconds / 60)} min`
}

/** A target that does not run has a reason, which was just given; its list has no other. */
function listMissing({ model, catalog }: TargetFacts, isExplained: boolean): Cause {
  const problem = catalog?.problem
  if (isExplained) {
    return {
      code: 'list-missing',
      status: 'problem',
      title: `"${model.name}" has not said yet what it offers; it does when it runs`,
      target: model.name,
    }
  }
  return {
    code: 'list-missing',
    status: 'problem',
    title: `"${model.name}" has not said yet what it offers`,
    ...(problem !== undefined && { detail: problem }),
    fix: `Look it over: gantry doctor ${model.name}`,
    target: model.name,
  }
}
