const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Resolves when somebody wants this process to end, which it then does not do by itself. */
export function nextSignal(): Promise<void> {
  return new Promise((done) => {
    const heard = (): void => {
      for (const signal of SIGNALS) process.off(signal, heard)
      done()
    }
    for (const signal of SIGNALS) process.on(signal, heard)
  })
}
