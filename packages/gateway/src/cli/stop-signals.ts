const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export type StopSignal = (typeof SIGNALS)[number]

export interface StopSignals {
  /** Resolves when this process is asked to end, which it then does not do by itself. */
  readonly first: Promise<StopSignal>
  /** Lets signals end the process again, as they do by default. */
  release(): void
}

/** Takes the signals that ask this process to end, from now on. The first is waited for; the next ends it at once. */
export function takeSignals(taken: readonly StopSignal[] = SIGNALS): StopSignals {
  let heard: (signal: NodeJS.Signals) => void = () => {}
  const first = new Promise<StopSignal>((resolve) => {
    let isAsked = false
    heard = (signal) => {
      if (isAsked) process.exit(1)
      isAsked = true
      resolve(signal as StopSignal)
    }
  })
  // A terminal sends them to every process of a group: the supervisor decides for its workers.
  const ignore = (): void => {}
  const listen = (signal: StopSignal) => (taken.includes(signal) ? heard : ignore)
  for (const signal of SIGNALS) process.on(signal, listen(signal))
  return {
    first,
    release: () => {
      for (const signal of SIGNALS) process.off(signal, listen(signal))
    },
  }
}
