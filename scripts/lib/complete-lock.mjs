/** Words in the names of platform packages, and what they mean to npm. */
const SYSTEMS = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
]
const PROCESSORS = {
  arm64: 'arm64',
  armv7: 'arm',
  arm: 'arm',
  ia32: 'ia32',
  loong64: 'loong64',
  mips64el: 'mips64el',
  ppc64: 'ppc64',
  riscv64: 'riscv64',
  s390x: 's390x',
  wasm32: 'wasm32',
  x64: 'x64',
}

/**
 * Adds the optional platform packages that a lock file leaves out. npm writes only those that the registry in use
 * has, and then `npm ci` refuses the file. An entry without a checksum is enough: npm passes over packages of other
 * platforms, and fetches the one that fits by its version. Returns the names of what was added.
 */
export function completeLock(lock) {
  const added = []
  for (const [path, entry] of Object.entries(lock.packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      if (isLocked(lock, path, name)) continue
      lock.packages[`node_modules/${name}`] = {
        version,
        ...(entry.dev && { dev: true }),
        optional: true,
        ...platformOf(name),
      }
      added.push(name)
    }
  }
  const sorted = Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1))
  lock.packages = Object.fromEntries(sorted)
  return added
}

/** Looks where Node would look: beside the package, then in each folder above. */
function isLocked(lock, path, name) {
  for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    if (lock.packages[folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`]) return true
    if (folder === '') return false
  }
}

function platformOf(name) {
  const words = name.split(/[/-]/)
  const os = words.filter((word) => SYSTEMS.includes(word))
  const processor = Object.keys(PROCESSORS).find((word) => words.includes(word))
  if (os.length === 0 && processor !== 'wasm32') throw new Error(`The name of ${name} tells no platform`)
  const libc = words.some((word) => word.startsWith('musl'))
    ? ['musl']
    : words.some((word) => word.startsWith('gnu'))
      ? ['glibc']
      : []
  return {
    ...(processor && { cpu: [PROCESSORS[processor]] }),
    ...(os.length > 0 && { os }),
    ...(libc.length > 0 && os.includes('linux') && { libc }),
  }
}
