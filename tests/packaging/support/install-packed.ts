import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { build } from '../../../scripts/lib/build.mjs'
import { npmCommand } from '../../../scripts/lib/install.mjs'
import { ROOT } from '../../../scripts/lib/paths.mjs'

const PACKAGES = { '@gantry/mcp': 'packages/mcp', gantry: 'packages/gateway' } as const

export type PackageName = keyof typeof PACKAGES

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly bin?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
}

export interface Installed {
  /** A project that has both packages in its node_modules. */
  readonly folder: string
  /** The files in each tarball. */
  readonly files: Readonly<Record<PackageName, readonly string[]>>
  /** Where each tarball is. */
  readonly tarballs: Readonly<Record<PackageName, string>>
}

/**
 * Packs both packages and lays them out as `npm install` would, with copies of the dependencies that this
 * repository has: nothing comes from the network, and nothing undeclared can be found.
 */
export async function installPacked(): Promise<Installed> {
  await build()
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'gantry-packed-')))
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}')
  const packed = JSON.parse(
    runNpm(
      [
        'pack',
        '--json',
        '--pack-destination',
        folder,
        ...Object.values(PACKAGES).flatMap((at) => ['-w', at]),
      ],
      ROOT,
    ),
  ) as { name: PackageName; filename: string; files: { path: string }[] }[]
  for (const { name, filename } of packed) unpack(join(folder, filename), packageFolder(folder, name))
  for (const [name, at] of Object.entries(PACKAGES)) addDependencies(folder, name, join(ROOT, at))
  linkCommands(folder, 'gantry')
  const files = packed.map(({ name, files }) => [name, files.map(({ path }) => path)])
  const tarballs = packed.map(({ name, filename }) => [name, join(folder, filename)])
  return {
    folder,
    files: Object.fromEntries(files) as Installed['files'],
    tarballs: Object.fromEntries(tarballs) as Installed['tarballs'],
  }
}

export function runNpm(args: readonly string[], cwd: string): string {
  const npm = npmCommand()
  return execFileSync(npm.command, [...npm.args, '--loglevel=error', ...args], { cwd, encoding: 'utf8' })
}

export function packageFolder(folder: string, name: string): string {
  return join(folder, 'node_modules', name)
}

export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}

function unpack(tarball: string, into: string): void {
  mkdirSync(into, { recursive: true })
  const options = ['-xzf', basename(tarball), '-C', into, '--strip-components', '1']
  execFileSync('tar', options, { cwd: dirname(tarball) })
}

/** Copies what a package depends on to the top, or beside the package when another version is there. */
function addDependencies(
  folder: string,
  name: string,
  source: string,
  at = packageFolder(folder, name),
): void {
  for (const dependency of Object.keys(readManifest(at).dependencies ?? {})) {
    const original = findPackage(dependency, source)
    const top = packageFolder(folder, dependency)
    const isTaken = existsSync(top) && readManifest(top).version !== readManifest(original).version
    const target = isTaken ? join(at, 'node_modules', dependency) : top
    if (existsSync(target)) continue
    cpSync(original, target, { recursive: true, filter: (path) => basename(path) !== 'node_modules' })
    addDependencies(folder, dependency, original, target)
  }
}

function findPackage(name: string, from: string): string {
  const candidate = join(from, 'node_modules', name)
  if (existsSync(candidate)) return realpathSync(candidate)
  if (dirname(from) === from) throw new Error(`${name} is not installed`)
  return findPackage(name, dirname(from))
}

function linkCommands(folder: string, name: string): void {
  const commands = join(folder, 'node_modules', '.bin')
  mkdirSync(commands)
  for (const [command, file] of Object.entries(readManifest(packageFolder(folder, name)).bin ?? {}))
    symlinkSync(join('..', name, file), join(commands, command))
}
