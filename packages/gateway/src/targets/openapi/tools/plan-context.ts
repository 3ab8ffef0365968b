import type { DocumentSet } from '../document/document-set.ts'
import type { Parameter } from '../operations/operation.ts'
import type { SchemaConverter } from '../schema/schema-converter.ts'

export interface PlanContext {
  readonly documents: DocumentSet
  readonly input: SchemaConverter
  /** Undefined when tools are to have no output schema. */
  readonly output: SchemaConverter | undefined
  readonly maxSchemaBytes: number
  /** Parameters that the gateway fills in itself: the configured credentials. */
  isHidden(parameter: Parameter): boolean
}
