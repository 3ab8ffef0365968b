/** Something that a client sent and nobody can use. */
export interface ProtocolProblem {
  code: number
  message: string
}

/** Tells the log of the embedding application. One that throws must not end a connection, or the process. */
export function reportSafely<Problem = ProtocolProblem>(
  report: ((problem: Problem) => void) | undefined,
  problem: Problem,
): void {
  try {
    report?.(problem)
  } catch {
    // There is nobody left to tell.
  }
}
