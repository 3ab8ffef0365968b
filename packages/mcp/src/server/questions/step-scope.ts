import { McpError } from '../../jsonrpc/index.ts'

interface Scope {
  run<T>(store: true, run: () => T): T
  getStore(): true | undefined
}

type Process = { getBuiltinModule?(name: string): { AsyncLocalStorage: new () => Scope } | undefined }

let scope: Scope | undefined

/** Runs a step, so that a question inside the step can be told from a question beside it. */
export function insideStep<T>(run: () => T): T {
  scope ??= createScope()
  return scope.run(true, run)
}

/** Whether a step is running that was started from here. */
export function isInStep(): boolean {
  return scope?.getStore() === true
}

/** A step is done once and remembered as a whole. A step that waits for an answer would never be done. */
export function refuseInStep(): void {
  if (!isInStep()) return
  throw new McpError(
    'invalid_definition',
    'A question inside ctx.step(…) can never be answered: ask first, and give the answer to the step',
  )
}

/** Runtimes without asynchronous scopes notice the questions that a step asks before it waits for anything. */
function createScope(): Scope {
  const { process } = globalThis as { process?: Process }
  const hooks = process?.getBuiltinModule?.('node:async_hooks')
  if (hooks) return new hooks.AsyncLocalStorage()
  let depth = 0
  return {
    run<T>(_: true, run: () => T): T {
      depth++
      try {
        return run()
      } finally {
        depth--
      }
    },
    getStore: () => (depth > 0 ? true : undefined),
  }
}
