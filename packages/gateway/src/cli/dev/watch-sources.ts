import { existsSync } from 'node:fs'
import { basename, dirname, extname, join, relative } from 'node:path'
import { watch } from 'chokidar'

/** What programs are written in. Data files are left out: servers write them, and would restart themselves. */
const SOURCES: ReadonlySet<string> = new Set([
  ...['.js', '.mjs', '.cjs', '.jsx', '.ts', '.mts', '.cts', '.tsx'],
  ...['.py', '.rb', '.php'],
])
const PROJECT_MARKS = ['package.json', 'pyproject.toml', '.git']
/** Editors write a file in several steps. */
const SETTLE = 100

export interface SourceWatcher {
  close(): Promise<void>
}

export interface WatchedSources {
  readonly file: string
  /** Further files and folders; there, every kind of file counts. */
  readonly more: readonly string[]
  /** Where no project is looked for, nor above it. */
  readonly home: string
}

/** Calls back with the files that changed, once they are quiet. */
export async function watchSources(
  { file, more, home }: WatchedSources,
  onChange: (files: readonly string[]) => void,
): Promise<SourceWatcher> {
  const root = projectOf(file, home)
  const isSource = (path: string): boolean =>
    path === file || SOURCES.has(extname(path)) || more.some((one) => path === one || isIn(path, one))
  const changed = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  const watcher = watch([root ?? dirname(file), ...more], {
    ignoreInitial: true,
    depth: root === undefined ? 2 : 20,
    ignored: (path, stats) =>
      (isHidden(relative(root ?? dirname(file), path)) && !more.includes(path)) ||
      (stats?.isFile() === true && !isSource(path)),
  })
  watcher.on('all', (event, path) => {
    if (event === 'addDir' || event === 'unlinkDir') return
    changed.add(path)
    clearTimeout(timer)
    timer = setTimeout(() => {
      onChange([...changed])
      changed.clear()
    }, SETTLE)
  })
  // A folder that cannot be read is no reason to stop.
  watcher.on('error', () => {})
  await new Promise<void>((ready) => watcher.once('ready', ready))
  return {
    async close() {
      clearTimeout(timer)
      await watcher.close()
    },
  }
}

/** The folder of the project that a file belongs to. */
function projectOf(file: string, home: string): string | undefined {
  for (let folder = dirname(file); folder !== home && folder !== dirname(folder); folder = dirname(folder)) {
    if (PROJECT_MARKS.some((mark) => existsSync(join(folder, mark)))) return folder
  }
  return undefined
}

function isHidden(path: string): boolean {
  return path
    .split(/[\\/]/)
    .some((part) => part === 'node_modules' || /^\.[^.]/.test(part) || part === '__pycache__')
}

function isIn(path: string, folder: string): boolean {
  const inside = relative(folder, path)
  return inside !== '' && !inside.startsWith('..') && basename(inside) !== ''
}
