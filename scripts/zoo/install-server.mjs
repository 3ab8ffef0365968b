import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { npmCommand } from '../lib/install.mjs'
import { ROOT } from '../lib/paths.mjs'
import { run } from '../lib/processes.mjs'

/** Where everything of the zoo is installed: outside of what git sees, and gone with `node_modules`. */
export const ZOO = join(ROOT, 'node_modules', '.cache', 'gantry', 'zoo')

/** Installs a server once; returns the command that starts it and the version that was installed. */
export async function installServer(server) {
  const folder = join(ZOO, server.from, server.name)
  const done = join(folder, 'installed.json')
  if (!existsSync(done)) {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    const found = server.from === 'npm' ? await fromNpm(server, folder) : await fromPypi(server, folder)
    writeFileSync(done, JSON.stringify(found))
  }
  return JSON.parse(readFileSync(done, 'utf8'))
}

async function fromNpm(server, folder) {
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  const npm = npmCommand()
  const args = [...npm.args, 'install', '--no-audit', '--no-fund', '--loglevel=error', server.package]
  await must(npm.command, args, folder)
  const home = join(folder, 'node_modules', server.package)
  const { bin, version, name } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))
  const scripts = typeof bin === 'string' ? { [name]: bin } : bin
  const script = scripts[server.script] ?? Object.values(scripts)[0]
  return { command: process.execPath, args: [join(home, script)], version }
}

async function fromPypi(server, folder) {
  await must('python3', ['-m', 'venv', folder], folder)
  const pip = join(folder, 'bin', 'pip')
  await must(
    pip,
    ['install', '--quiet', '--disable-pip-version-check', server.package, ...(server.with ?? [])],
    folder,
  )
  const script = server.script ?? server.package
  const version = installedVersion(folder, server.package)
  return { command: join(folder, 'bin', script), args: [], version }
}

function installedVersion(folder, name) {
  const [lib] = readdirSync(join(folder, 'lib'))
  const wanted = name.replaceAll(/[-_.]+/g, '_').toLowerCase()
  const infos = readdirSync(join(folder, 'lib', lib, 'site-packages')).filter((entry) =>
    entry.endsWith('.dist-info'),
  )
  const found = infos.find((info) =>
    info
      .toLowerCase()
      .replaceAll(/[-_.]+/g, '_')
      .startsWith(`${wanted}_`),
  )
  return /-([^-]+)\.dist-info$/.exec(found ?? '')?.[1] ?? 'unknown'
}

async function must(command, args, cwd) {
  const code = await run(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] })
  if (code !== 0) throw new Error(`${command} failed with exit code ${code}`)
}
