import { createMemoryStore } from './index.ts'
import type { Store } from './store.ts'
import { describeStore } from './store-suite.test.support.ts'

/** Opened twice it is the same store: there is no place behind it. */
describeStore('the memory store', async () => {
  let store: Store | undefined
  return {
    async open(options) {
      if (store && !options) return { ...store, close: async () => {} }
      store = createMemoryStore(options)
      return store
    },
    clear: async () => {},
  }
})
