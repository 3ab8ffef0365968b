import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']

/** A folder with authorities and certificates of them: NAME.crt and NAME.key. */
export class Certificates {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'gantry-tls-'))

  at(name: string): string {
    return join(this.folder, name)
  }

  authority(name: string): void {
    const out = ['-keyout', `${name}.key`, '-out', `${name}.crt`]
    this.#openssl('req', '-x509', ...KEY, '-days', '2', '-subj', `/CN=${name}`, ...out)
  }

  certificate(name: string, ca: string, subject: string, names?: string): void {
    this.#openssl('req', ...KEY, '-subj', subject, '-keyout', `${name}.key`, '-out', `${name}.csr`)
    writeFileSync(this.at(`${name}.ext`), names === undefined ? '' : `subjectAltName=${names}\n`)
    const by = ['-CA', `${ca}.crt`, '-CAkey', `${ca}.key`, '-CAcreateserial', '-days', '2']
    const files = ['-in', `${name}.csr`, '-extfile', `${name}.ext`, '-out', `${name}.crt`]
    this.#openssl('x509', '-req', ...by, ...files)
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }

  #openssl(...args: string[]): void {
    execFileSync('openssl', args, { cwd: this.folder, stdio: 'ignore' })
  }
}
