import type { Tool } from '@gantry/mcp/server'
import type { Operation } from '../operations/operation.ts'
import type { InputPlan } from './plan-input.ts'
import type { OutputPlan } from './plan-output.ts'

export interface OperationPlan {
  readonly name: string
  readonly operation: Operation
  readonly input: InputPlan
  readonly output: OutputPlan | undefined
}

/** A tool and what it calls: a single operation, or several operations of which an argument chooses one. */
export type ToolPlan =
  | { readonly tool: Tool; readonly call: OperationPlan }
  | { readonly tool: Tool; readonly members: ReadonlyMap<string, OperationPlan> }
