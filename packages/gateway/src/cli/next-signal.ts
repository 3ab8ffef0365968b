const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export type StopSignal = (typeof SIGNALS)[number]

/** Resolves when this process is asked to end, which it then does not do by itself. */
export function nextSignal(): Promise<StopSignal> {
  return new Promise((done) => {
    const heard = (heardSignal: NodeJS.Signals): void => {
      for (const signal of SIGNALS) process.off(signal, heard)
      done(heardSignal as StopSignal)
    }
    for (const signal of SIGNALS) process.on(signal, heard)
  })
}
