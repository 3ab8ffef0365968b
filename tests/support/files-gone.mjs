// Runs first in a gateway: from the moment on that the file GANTRY_FILES_GONE is there, no file can be loaded as a
// module, as while another version is being installed. Until then it grows GANTRY_FILES_LOADED with each load.
import { appendFileSync, existsSync } from 'node:fs'
import { register } from 'node:module'

if (process.env.GANTRY_FILES_GONE) register(import.meta.url)

export function load(url, context, next) {
  if (!url.startsWith('file:')) return next(url, context)
  if (existsSync(process.env.GANTRY_FILES_GONE)) throw new Error(`${url} is gone`)
  appendFileSync(process.env.GANTRY_FILES_LOADED, '.')
  return next(url, context)
}
