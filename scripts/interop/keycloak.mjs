// A real Keycloak as the company's identity provider: the tests of sign-in that need nothing but a login run with it.
import { existsSync, mkdirSync, renameSync } from 'node:fs'
import { copyFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ensurePrograms } from '../lib/debian-package.mjs'
import { freePort } from '../lib/free-port.mjs'
import { ROOT, toolPath } from '../lib/paths.mjs'
import { run, runNode, start, stop } from '../lib/processes.mjs'

const VERSION = '26.5.6'
const HOME = join(ROOT, 'node_modules', '.cache', 'gantry', 'interop', 'keycloak')
const FOLDER = join(HOME, `keycloak-${VERSION}`)
const REALM = join(ROOT, 'scripts', 'interop', 'keycloak', 'realm.json')
const TESTS = join(ROOT, 'scripts', 'interop', 'keycloak', 'vitest.config.ts')
/** Java 17 or newer, and what fetches and unpacks Keycloak. */
const PROGRAMS = { java: 'default-jre-headless', mvn: 'maven', unzip: 'unzip' }
/** It compiles its configuration with the first start. */
const PATIENCE = 5 * 60_000

/** Returns how many things are wrong. */
export async function proveKeycloak() {
  const { mvn, unzip } = await ensurePrograms(Object.keys(PROGRAMS), Object.values(PROGRAMS))
  await install({ mvn, unzip })
  const port = await freePort()
  const args = ['start-dev', '--import-realm', '--http-host', '127.0.0.1', '--http-port', String(port)]
  const keycloak = start(join(FOLDER, 'bin', 'kc.sh'), args, { stdio: ['ignore', 'ignore', 'inherit'] })
  try {
    const issuer = `http://127.0.0.1:${port}/realms/acme`
    await untilReady(issuer, keycloak)
    const env = { ...process.env, GANTRY_KEYCLOAK: issuer }
    const code = await runNode([toolPath('vitest'), 'run', '--config', TESTS], { env })
    console.log(code === 0 ? `✓ sign-in with Keycloak ${VERSION}` : `✗ sign-in with Keycloak ${VERSION}`)
    return code === 0 ? 0 : 1
  } finally {
    await stop(keycloak)
  }
}

async function install({ mvn, unzip }) {
  mkdirSync(HOME, { recursive: true })
  if (!existsSync(FOLDER)) {
    const name = `keycloak-quarkus-dist-${VERSION}.zip`
    const archive = join(HOME, name)
    console.log(`downloading Keycloak ${VERSION} …`)
    const artifact = `org.keycloak:keycloak-quarkus-dist:${VERSION}:zip`
    const copy = ['-q', 'dependency:copy', `-Dartifact=${artifact}`, `-DoutputDirectory=${HOME}`]
    if ((await run(mvn, copy)) !== 0) throw new Error(`Maven could not fetch ${artifact}`)
    const unpacked = join(HOME, 'unpacked')
    await rm(unpacked, { recursive: true, force: true })
    mkdirSync(unpacked)
    if ((await run(unzip, ['-q', archive, '-d', unpacked])) !== 0) throw new Error('unzip failed')
    renameSync(join(unpacked, `keycloak-${VERSION}`), FOLDER)
    await rm(archive)
  }
  // A fresh realm each time.
  await rm(join(FOLDER, 'data'), { recursive: true, force: true })
  mkdirSync(join(FOLDER, 'data', 'import'), { recursive: true })
  await copyFile(REALM, join(FOLDER, 'data', 'import', 'acme-realm.json'))
}

async function untilReady(issuer, keycloak) {
  const until = Date.now() + PATIENCE
  const isReady = () =>
    fetch(`${issuer}/.well-known/openid-configuration`).then(
      ({ ok }) => ok,
      () => false,
    )
  while (!(await isReady())) {
    if (keycloak.exitCode !== null) throw new Error(`Keycloak ended with ${keycloak.exitCode}`)
    if (Date.now() > until) throw new Error('Keycloak did not start within five minutes')
    await sleep(500)
  }
}
