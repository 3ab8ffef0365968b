import type { CallResult, Tools } from '../client/index.ts'
import { canonicalJson, isJsonObject, type JsonObject } from '../jsonrpc/index.ts'
import { type AppOf, type AnyServer, eras, type ErasOptions } from './eras.ts'
import type { ScriptedAnswers } from './scripted-answers.ts'

type Arguments<Call> = Call extends (args: infer Input, ...rest: never) => unknown ? Input : JsonObject
type Output<Call> = Call extends (...args: never) => Promise<infer Result> ? Result : unknown

/** A failed expectation; Vitest and node:test show both sides. */
class ToolExpectationError extends Error {
  readonly actual: unknown
  readonly expected: unknown

  constructor(message: string, actual: unknown, expected: unknown) {
    super(message)
    this.name = 'ToolExpectationError'
    this.actual = actual
    this.expected = expected
  }
}

export class ToolExpectation<Returned> {
  readonly #run: (
    check: (result: CallResult) => void,
    script: (answers: ScriptedAnswers) => void,
  ) => Promise<void>
  readonly #name: string
  #script: (answers: ScriptedAnswers) => void = () => {}

  /** @internal */
  constructor(
    name: string,
    run: (check: (result: CallResult) => void, script: (answers: ScriptedAnswers) => void) => Promise<void>,
  ) {
    this.#name = name
    this.#run = run
  }

  /** The user and the model of the call: `(answers) => answers.accept({ region: 'eu' })`. */
  answering(script: (answers: ScriptedAnswers) => unknown): this {
    this.#script = (answers) => void script(answers)
    return this
  }

  /** The call succeeds: with this structured content, or with this text. Members may be `expect.any(String)` and kin. */
  toReturn(expected: NoInfer<Returned> | string | RegExp): Promise<void> {
    return this.#run((result) => {
      if (result.isError) this.#fail('failed', result.text(), expected)
      if (typeof expected === 'string' || expected instanceof RegExp)
        this.#compareText(result.text(), expected)
      else if (!fits(result.structured, expected))
        this.#fail('returned something else', result.structured ?? result.text(), expected)
    }, this.#script)
  }

  /** The tool says that it failed, with this text. */
  toFail(expected: string | RegExp): Promise<void> {
    return this.#run((result) => {
      if (!result.isError) this.#fail('did not fail', result.structured ?? result.text(), expected)
      this.#compareText(result.text(), expected)
    }, this.#script)
  }

  #compareText(text: string, expected: string | RegExp): void {
    // Not by `test`, which goes on where a pattern with the flag `g` ended in the era before.
    const isSaid = typeof expected === 'string' ? text === expected : text.search(expected) >= 0
    if (!isSaid) this.#fail('said something else', text, expected)
  }

  #fail(what: string, actual: unknown, expected: unknown): never {
    const show = (value: unknown): string => (value instanceof RegExp ? String(value) : JSON.stringify(value))
    const message = `The tool ${this.#name} ${what}: ${show(actual)}, not ${show(expected)}`
    throw new ToolExpectationError(message, actual, expected)
  }
}

/** Matchers of Vitest and Jest, such as `expect.any(String)`, decide for themselves. */
function fits(actual: unknown, expected: unknown): boolean {
  if (isMatcher(expected)) return expected.asymmetricMatch(actual)
  if (Array.isArray(actual) && Array.isArray(expected))
    return actual.length === expected.length && expected.every((item, at) => fits(actual[at], item))
  if (isJsonObject(actual) && isJsonObject(expected) && !('toJSON' in expected))
    return Object.keys({ ...actual, ...expected }).every((name) => fits(actual[name], expected[name]))
  return canonicalJson(actual) === canonicalJson(expected)
}

function isMatcher(value: unknown): value is { asymmetricMatch(actual: unknown): boolean } {
  return isJsonObject(value) && typeof value.asymmetricMatch === 'function'
}

/**
 * Calls a tool in every era and compares what comes back.
 *
 * ```ts
 * await expectTool(app, 'add', { a: 2, b: 3 }).toReturn({ sum: 5 })
 * await expectTool(app, 'publish', { id: '7' })
 *   .answering((answers) => answers.accept({ region: 'eu' }))
 *   .toReturn('https://eu.example/7')
 * await expectTool(app, 'publish', { id: 'none' }).toFail(/no note/)
 * ```
 */
export function expectTool<
  T extends AnyServer | (() => AnyServer | Promise<AnyServer>),
  Name extends keyof Tools<AppOf<T>> & string,
>(
  app: T,
  name: Name,
  args?: Arguments<Tools<AppOf<T>>[Name]>,
  options?: ErasOptions,
): ToolExpectation<Output<Tools<AppOf<T>>[Name]>> {
  return new ToolExpectation(name, (check, script) =>
    eras(
      app,
      async ({ client, answers }) => {
        script(answers)
        check(await client.call(name, args as JsonObject | undefined))
      },
      options,
    ),
  )
}
