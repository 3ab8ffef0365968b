import type { TargetModel, TargetOptions } from '../model/index.ts'
import type { CompileContext } from './compile-context.ts'
import { compileOpenApi } from './compile-openapi.ts'
import { compileInProcess, compileReplay, compileStdio, compileUrl } from './compile-target-kinds.ts'
import { compileTargetOptions } from './compile-target-options.ts'
import type { TargetSource } from './target-source.ts'

export function compileTarget(source: TargetSource, context: CompileContext): TargetModel {
  const start = context.problems.length
  const options = compileTargetOptions(source, context)
  const target = compileKind(source, options, context)
  const reason = context.demoteUnresolved(start, target.enabled ? 'warning' : 'nothing')
  return target.enabled && reason !== undefined
    ? { ...target, enabled: false, disabledReason: reason }
    : target
}

/** The schema has seen to it that exactly one of these is there. */
function compileKind(source: TargetSource, options: TargetOptions, context: CompileContext): TargetModel {
  const { raw } = source
  if (raw.command !== undefined) return compileStdio(source, options, context)
  if (raw.module !== undefined) return compileInProcess(source, options, context)
  if (raw.openapi !== undefined) return compileOpenApi(source, options, context)
  if (raw.replay !== undefined) return compileReplay(source, options, context)
  return compileUrl(source, options, context)
}
