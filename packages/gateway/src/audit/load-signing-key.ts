import { generateKeyPairSync } from 'node:crypto'
import { linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readSmallFileSync, refuseForeign } from '../model/index.ts'
import { SigningKey } from './signing-key.ts'

/** The key in the state folder, made once. The second of two processes that start together takes the key of the first. */
export function loadSigningKey(stateDir: string): SigningKey {
  const file = join(stateDir, 'audit.key')
  refuseForeign(file)
  try {
    return new SigningKey(readSmallFileSync(file))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })
  const temporary = `${file}.${process.pid}.tmp`
  try {
    writeFileSync(temporary, pem, { mode: 0o600 })
    linkSync(temporary, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(temporary, { force: true })
  }
  return new SigningKey(readSmallFileSync(file))
}
