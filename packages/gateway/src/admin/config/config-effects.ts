import { diffModels } from '../../config/index.ts'
import { isSame, type GatewayModel } from '../../model/index.ts'
import type { ConfigEffects } from '../contract.ts'

/** Parts that are read once, when the gateway starts. */
const AT_START: Readonly<Partial<Record<keyof GatewayModel, string>>> = {
  stateDir: '"stateDir" is opened when the gateway starts',
  store: '"store" is opened when the gateway starts',
  audit: '"audit" is opened when the gateway starts',
  telemetry: '"telemetry" is set up when the gateway starts',
}

export function configEffects(current: GatewayModel, next: GatewayModel): ConfigEffects {
  const diff = diffModels(current, next)
  return {
    added: diff.added.map(({ name }) => name),
    removed: diff.removed.map(({ name }) => name),
    changed: diff.changed.map(({ name, keys, reconnect }) => ({ name, keys, reconnect })),
    untouched: diff.untouched,
    sections: diff.sections,
    needsRestart: needsRestart(current, next, diff.sections),
  }
}

function needsRestart(
  current: GatewayModel,
  next: GatewayModel,
  sections: readonly (keyof GatewayModel)[],
): string[] {
  const reasons = sections.flatMap((section) => AT_START[section] ?? [])
  if (current.catalog.persist !== next.catalog.persist)
    reasons.push('"catalog.persist" is read when the gateway starts')
  if (!sections.includes('server')) return reasons
  // Instructions are read with every request; the rest of the section belongs to the open port.
  const { instructions: _a, ...before } = current.server
  const { instructions: _b, ...after } = next.server
  return isSame(before, after) ? reasons : ['"server" is read when the gateway starts', ...reasons]
}
