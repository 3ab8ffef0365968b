// Vitest translates what its own processes load. The threads that tests start in them need the loader.
import { isMainThread } from 'node:worker_threads'

if (!isMainThread) await import('./typescript-loader.mjs')
