import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { must } from './must.mjs'

const SOURCES = join(import.meta.dirname, '..', 'go')
const MODULE = 'github.com/modelcontextprotocol/go-sdk'

/** Builds one program that is both, from sources that are copied to where the module may write. */
export async function goProgram(folder) {
  mkdirSync(folder, { recursive: true })
  for (const file of readdirSync(SOURCES)) copyFileSync(join(SOURCES, file), join(folder, file))
  if (!existsSync(join(folder, 'go.mod'))) await must('go', ['mod', 'init', 'zoo'], folder)
  await must('go', ['get', `${MODULE}@v1`], folder)
  await must('go', ['mod', 'tidy'], folder)
  await must('go', ['build', '-o', 'zoo', '.'], folder)
  const program = join(folder, 'zoo')
  const found = new RegExp(`${MODULE} v(\\S+)`).exec(readFileSync(join(folder, 'go.mod'), 'utf8'))
  return { version: found?.[1] ?? '', server: [program, 'server'], client: [program, 'client'] }
}
