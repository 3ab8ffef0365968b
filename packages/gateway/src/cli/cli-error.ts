/** 0 it worked, 1 it did not, 2 it was asked for wrongly or the configuration is not usable. */
export type ExitCode = 0 | 1 | 2

/** Ends a command with a message and, when it is known, with what to do. */
export class CliError extends Error {
  readonly exitCode: ExitCode
  readonly fix: string | undefined

  constructor(
    message: string,
    options: { exitCode?: ExitCode; fix?: string | undefined; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'CliError'
    this.exitCode = options.exitCode ?? 1
    this.fix = options.fix
  }
}

/** Ends a command that has printed everything already. */
export class CliExit extends Error {
  readonly exitCode: ExitCode

  constructor(exitCode: ExitCode) {
    super(`Exit with ${exitCode}`)
    this.name = 'CliExit'
    this.exitCode = exitCode
  }
}
