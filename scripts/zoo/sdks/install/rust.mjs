import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { must } from './must.mjs'

const SOURCES = join(import.meta.dirname, '..', 'rust')

/** Builds one program that is both. The first build takes several minutes. */
export async function rustProgram(folder) {
  mkdirSync(folder, { recursive: true })
  cpSync(SOURCES, folder, { recursive: true })
  await must('cargo', ['build', '--quiet'], folder)
  const program = join(folder, 'target', 'debug', 'zoo')
  const lock = readFileSync(join(folder, 'Cargo.lock'), 'utf8')
  const version = /name = "rmcp"\nversion = "([^"]+)"/.exec(lock)?.[1] ?? ''
  return { version, server: [program, 'server'], client: [program, 'client'] }
}
