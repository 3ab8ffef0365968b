export { addressKind, isChosenHost, isTrustedHost, isWithinReach, OutOfReach, type Reach } from './reach.ts'
export { cutText, isDeepYaml, parseUrl, splitTarget } from './foreign-text.ts'
export { requireExtensionNames } from './extension-names.ts'
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
export { LONGEST_TIMER, parseDuration, type Duration } from './parse-duration.ts'
export { describePrincipal, principalKey, samePrincipal, type Principal } from './callers.ts'
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
  withServerInfo,
  withRelatedTask,
} from './shape.ts'
export type * from './types.ts'
