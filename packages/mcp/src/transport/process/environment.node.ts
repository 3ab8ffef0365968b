/** What a program needs to run at all, and nothing that a secret would be in. */
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

/** The names of the variables that every child gets from this process. */
export const SAFE_ENVIRONMENT: readonly string[] = process.platform === 'win32' ? SAFE_WINDOWS : SAFE_POSIX

/** A child's environment: safe, requested and given variables. A given `undefined` removes one. */
export function childEnvironment(
  given: Readonly<Record<string, string | undefined>> = {},
  inherit: readonly string[] = [],
): Record<string, string> {
  const result: Record<string, string> = {}
  for (const name of [...SAFE_ENVIRONMENT, ...inherit]) {
    const value = process.env[name]
    // Bash exports functions as values that start with "()"; they are code, not settings.
    if (value !== undefined && !value.startsWith('()')) result[name] = value
  }
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) delete result[name]
    else result[name] = value
  }
  return result
}
