/** Something that a client sent and nobody can use. */
export interface ProtocolProblem {
  code: number
  message: string
}

/** Tells the log of the embedding application. One that throws must not end a connection, or the process. */
export function reportSafely(
  report: ((problem: ProtocolProblem) => void) | undefined,
  problem: ProtocolProblem,
): void {
  try {
    report?.(problem)
  } catch {
    // There is nobody left to tell.
  }
}
