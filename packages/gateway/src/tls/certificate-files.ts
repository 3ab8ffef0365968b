import { readFileSync, unwatchFile, watchFile } from 'node:fs'
import type { Log } from '../telemetry/log.ts'

/** The period of comparing the files. The file system does not report changes of links, as in Kubernetes. */
const PERIOD = 1_000

type Names = 'cert' | 'key' | 'ca'
type Contents = Partial<Record<Names, Buffer>>

/** The files of a certificate. They are read again when they change, so that it can be renewed without a stop. */
export class CertificateFiles {
  readonly #files: Readonly<Partial<Record<Names, string>>>
  /** The last usable contents of the files. */
  current: Contents

  constructor(files: Readonly<Partial<Record<Names, string>>>) {
    this.#files = files
    this.current = this.#read()
  }

  /** `take` throws when it cannot use the contents. Returns a function that ends the watch. */
  follow(take: (contents: Contents) => void, log: Log): () => void {
    const { cert } = this.#files
    const reload = (): void => {
      try {
        const next = this.#read()
        take(next)
        this.current = next
        log('info', 'The certificate was read again', { file: cert })
      } catch (error) {
        // Certificate and key are rarely replaced in the same moment: the second change brings it here again.
        const reason = error instanceof Error ? error.message : String(error)
        log('warn', 'A new certificate cannot be used, and the one before stays', {
          file: cert,
          reason,
          event: 'certificate-refused',
        })
      }
    }
    const files = Object.values(this.#files)
    for (const file of files) watchFile(file, { interval: PERIOD, persistent: false }, reload)
    return () => {
      for (const file of files) unwatchFile(file, reload)
    }
  }

  #read(): Contents {
    return Object.fromEntries(Object.entries(this.#files).map(([name, file]) => [name, readFileSync(file)]))
  }
}
