import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { must } from './must.mjs'

const SOURCES = join(import.meta.dirname, '..', 'java')

/** Builds one program that is both, with its libraries beside it. */
export async function javaProgram(folder) {
  mkdirSync(folder, { recursive: true })
  cpSync(SOURCES, folder, { recursive: true })
  const libraries = join(folder, 'target', 'libraries')
  const copy = ['dependency:copy-dependencies', `-DoutputDirectory=${libraries}`]
  await must('mvn', ['--quiet', '--batch-mode', 'compile', ...copy], folder)
  const program = ['java', '-cp', `${join(folder, 'target', 'classes')}:${libraries}/*`, 'zoo.Zoo']
  const version = /<artifactId>mcp<\/artifactId>\s*<version>([^<]+)/.exec(
    readFileSync(join(folder, 'pom.xml'), 'utf8'),
  )
  return { version: version?.[1] ?? '', server: [...program, 'server'], client: [...program, 'client'] }
}
