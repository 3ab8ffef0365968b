// npm run snippets              compiles the TypeScript on all pages, with each compiler that users have
// npm run snippets -- 6.0       with one of them; `npm test` uses 7.0, which is the fastest
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from './lib/build.mjs'
import { install, installProject } from './lib/install.mjs'
import { ROOT } from './lib/paths.mjs'
import { PAGES, programsOf, protocolTypes } from './lib/snippets.mjs'

const OTHERS = join(ROOT, 'scripts', 'compilers')
export const COMPILERS = {
  5.9: join(OTHERS, 'node_modules', 'typescript-5.9'),
  '6.0': join(ROOT, 'node_modules', 'typescript'),
  '7.0': join(OTHERS, 'node_modules', 'typescript-7.0'),
}

/** What a careful user writes. Nothing of a library is passed over. */
const OPTIONS = {
  noEmit: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  target: 'es2023',
  lib: ['es2023', 'esnext.disposable', 'dom', 'dom.iterable', 'dom.asynciterable'],
  module: 'nodenext',
  moduleDetection: 'force',
  types: ['node'],
}

/** Compiles the pages with one compiler; returns what it prints, without the name of the folder. */
export async function compileSnippets(version, pages = PAGES) {
  if (COMPILERS[version].startsWith(OTHERS)) await install(OTHERS, 'the TypeScript versions of users')
  // Inside the project, so that snippets find the packages as a user's program would.
  const folder = mkdtempSync(join(ROOT, 'tests', 'docs', '.run-'))
  try {
    for (const { main, files } of pages.map(programsOf))
      for (const file of main ? [main, ...files] : files) write(join(folder, file.path), file.text)
    write(join(folder, 'protocol-types.ts'), protocolTypes())
    write(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: OPTIONS, include: ['**/*.ts', '**/*.mts'] }),
    )
    const tsc = join(COMPILERS[version], 'bin', 'tsc')
    const done = await promisify(execFile)(process.execPath, [tsc, '-p', '.', '--pretty', 'false'], {
      cwd: folder,
    }).catch((error) => error)
    return { ok: !(done instanceof Error), output: `${done.stdout}${done.stderr}` }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await installProject()
  await build()
  const wanted = process.argv.slice(2)
  for (const version of wanted.length > 0 ? wanted : Object.keys(COMPILERS)) {
    const began = performance.now()
    const { ok, output } = await compileSnippets(version)
    const seconds = ((performance.now() - began) / 1000).toFixed(1)
    console.log(`${output}TypeScript ${version}: ${ok ? 'ok' : 'failed'} in ${seconds} s`)
    if (!ok) process.exitCode = 1
  }
}
