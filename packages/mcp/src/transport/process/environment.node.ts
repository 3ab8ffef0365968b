/** Variables that every program needs, and that never hold secrets. */
const SAFE_POSIX = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER']
const SAFE_WINDOWS = [
  'APPDATA',
  'COMSPEC',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'PATH',
  'PATHEXT',
  'PROCESSOR_ARCHITECTURE',
  'PROGRAMFILES',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TEMP',
  'TMP',
  'USERNAME',
  'USERPROFILE',
]

/** How the network of this machine is reached: certificates that it trusts, proxies, mirrors of packages. */
const CERTIFICATES = [
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NODE_EXTRA_CA_CERTS',
  'NODE_USE_SYSTEM_CA',
  'REQUESTS_CA_BUNDLE',
  'CURL_CA_BUNDLE',
  'AWS_CA_BUNDLE',
  'GIT_SSL_CAINFO',
  'DENO_CERT',
  'PIP_CERT',
  'UV_NATIVE_TLS',
  'UV_SYSTEM_CERTS',
]
const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY']
const MIRRORS = ['npm_config_registry', 'PIP_INDEX_URL', 'UV_INDEX_URL', 'UV_DEFAULT_INDEX']
const NETWORK = [
  ...CERTIFICATES,
  'NODE_USE_ENV_PROXY',
  ...PROXIES,
  ...PROXIES.map((name) => name.toLowerCase()),
  ...MIRRORS,
]

/** The names of the variables that every child gets from this process. */
export const SAFE_ENVIRONMENT: readonly string[] = [
  ...(process.platform === 'win32' ? SAFE_WINDOWS : SAFE_POSIX),
  ...NETWORK,
]

/**
 * A child's environment: safe, requested and given variables. A given `undefined` removes one. The address of a proxy
 * or mirror that holds a name or password is a secret, so it has to be requested or given.
 */
export function childEnvironment(
  given: Readonly<Record<string, string | undefined>> = {},
  inherit: readonly string[] = [],
): Record<string, string> {
  const result: Record<string, string> = {}
  for (const name of [...SAFE_ENVIRONMENT, ...inherit]) {
    const value = process.env[name]
    const isSecret = NETWORK.includes(name) && value?.includes('@') && !inherit.includes(name)
    // Bash exports functions as values that start with "()"; they are code, not settings.
    if (value !== undefined && !isSecret && !value.startsWith('()')) result[name] = value
  }
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) delete result[name]
    else result[name] = value
  }
  return result
}
