import { existsSync, mkdirSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { must } from './must.mjs'

const SOURCES = join(import.meta.dirname, '..', 'python')

/** Programs in Python, in a virtual environment that holds one package. */
export function pythonPrograms(requirement, name, suffix) {
  return async (folder) => {
    const python = join(folder, 'venv', 'bin', 'python')
    if (!existsSync(python)) {
      mkdirSync(folder, { recursive: true })
      await must('python3', ['-m', 'venv', join(folder, 'venv')], folder)
    }
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', requirement]
    await must(python, pip, folder)
    const asked = `import importlib.metadata as m; print(m.version(${JSON.stringify(name)}))`
    return {
      version: execFileSync(python, ['-c', asked], { encoding: 'utf8' }).trim(),
      server: [python, '-B', join(SOURCES, `server_${suffix}.py`)],
      client: [python, '-B', join(SOURCES, `client_${suffix}.py`)],
    }
  }
}
