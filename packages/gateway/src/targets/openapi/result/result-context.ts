import type { Redactor } from '../request/redact.ts'
import type { OperationPlan } from '../tools/tool-plan.ts'

export interface ResultContext {
  readonly plan: OperationPlan
  /** Revisions before 2026-07-28: structured content has to be an object. */
  readonly objectsOnly: boolean
  /** For embedded resources: without query, where secrets may be. */
  readonly url: string
  readonly redactor: Redactor
}
