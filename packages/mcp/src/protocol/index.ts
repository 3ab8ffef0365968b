export { addressKind } from './address-kind.ts'
export { cutText } from './cut-text.ts'
export { requireExtensionNames } from './extension-names.ts'
export { isDeepYaml } from './is-deep-yaml.ts'
export { isLoggingLevel, LOG_LEVELS, passesLevel } from './log-levels.ts'
export {
  META,
  isMethodInRevision,
  methodFacts,
  type MethodFacts,
  eraOf,
  isModern,
  isRevision,
  LATEST_LEGACY,
  LATEST_MODERN,
  LEGACY_REVISIONS,
  MODERN_REVISIONS,
  REVISIONS,
  type Era,
  type Revision,
} from './revisions.ts'
export { argumentAt, mirrorArguments } from './encoding.ts'
export { parseUrl, splitTarget } from './parse-url.ts'
export { isChosenHost, isTrustedHost, isWithinReach, OutOfReach, type Reach } from './reach.ts'
export { LONGEST_TIMER, parseDuration, type Duration } from './parse-duration.ts'
export { describePrincipal, principalKey, samePrincipal, type Principal } from './principal.ts'
export { requireSecret } from './require-secret.ts'
export { samplingProblem } from './sampling-problem.ts'
export {
  isResourceNotFound,
  resourceNotFound,
  shapeError,
  shapeResult,
  toInitializeResult,
  shapeTask,
  withoutResultType,
  withRelatedTask,
} from './shape.ts'
export type * from './types.ts'
