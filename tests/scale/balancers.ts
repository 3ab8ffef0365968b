import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensurePrograms } from '../../scripts/lib/debian-package.mjs'
import { freePort } from '../../scripts/lib/free-port.mjs'
import { ROOT } from '../../scripts/lib/paths.mjs'
import type { Balancer } from './balancer.ts'

export type BalancerKind = 'nginx' | 'haproxy'

/** The configurations that we ship, with other addresses: what works here works for those who copy them. */
const KINDS = {
  nginx: {
    file: 'deploy/nginx.conf',
    settings: (text: string, folder: string, port: number) =>
      text
        .replace('/tmp/nginx.pid', join(folder, 'nginx.pid'))
        .replace('worker_processes auto', 'worker_processes 1')
        .replace('listen 8080', `listen 127.0.0.1:${port}`)
        .replace(
          'access_log off;',
          `access_log off;\n${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
            .map((name) => `  ${name}_temp_path ${join(folder, name)};`)
            .join('\n')}`,
        ),
    args: (file: string, folder: string) => [
      '-p',
      folder,
      '-c',
      file,
      '-e',
      join(folder, 'error.log'),
      '-g',
      'daemon off;',
    ],
  },
  haproxy: {
    file: 'deploy/haproxy.cfg',
    settings: (text: string, _folder: string, port: number) =>
      text.replace('bind :8080', `bind 127.0.0.1:${port}`),
    args: (file: string) => ['-db', '-f', file],
  },
}

/** A real balancer in front of three places, round robin. */
export async function startRealBalancer(kind: BalancerKind, places: readonly string[]): Promise<Balancer> {
  const programs = await ensurePrograms([kind], [kind])
  const { file, settings, args } = KINDS[kind]
  const folder = await mkdtemp(join(tmpdir(), `gantry-${kind}-`))
  const port = await freePort()
  let text = settings(await readFile(join(ROOT, file), 'utf8'), folder, port)
  for (const [at, place] of places.entries())
    text = text.replaceAll(`gantry-${at + 1}:7332`, new URL(place).host)
  const own = join(folder, kind)
  await writeFile(own, text)
  const child = spawn(programs[kind], args(own, folder), { stdio: ['ignore', 'ignore', 'pipe'] })
  let errors = ''
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  const ended = once(child, 'exit')
  while (!(await answers(port))) {
    if (child.exitCode !== null) throw new Error(`${kind} ended: ${errors}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      child.kill('SIGTERM')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const isOpen = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
  })
  socket.destroy()
  return isOpen
}
