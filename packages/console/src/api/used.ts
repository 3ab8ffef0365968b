import { createStore, type Store } from './store.ts'

/** Pages focus and scroll by themselves, so neither is a sign of a person. */
const SIGNS = ['pointermove', 'pointerdown', 'keydown', 'wheel', 'input'] as const

/** Whether a person has begun to use the console. What is out of sight is fetched from then on. */
export const used: Store<boolean> = createStore(false)

export function watchUse(): void {
  const options = { capture: true, once: true, passive: true }
  // Not at once: drawing before a field has taken what was typed would put its old text back.
  const onSign = () => setTimeout(() => used.set(true))
  for (const sign of SIGNS) window.addEventListener(sign, onSign, options)
}

export function whenUsed(): Promise<void> {
  return new Promise((resolve) => {
    if (used.get()) return resolve()
    const stop = used.subscribe(() => {
      stop()
      resolve()
    })
  })
}
