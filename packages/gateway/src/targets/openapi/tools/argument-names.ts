/** What model providers accept as the name of an argument; one bad name makes them refuse every tool. */
const MOST_CHARACTERS = 64

/** `filter[name]` → `filter_name`; a plain name stays as it is. */
export function toArgumentName(name: string): string {
  // Validators skip a property of this name, to be safe, and then report it as unknown.
  if (name === '__proto__') return 'proto'
  const clean = name
    .replace(/[^A-Za-z0-9_.-]+/g, '_')
    .replace(/^_+(?=[^_])/, (run) => (name.startsWith('_') ? run : ''))
    .replace(/(?<=[^_])_+$/, (run) => (name.endsWith('_') ? run : ''))
    .slice(0, MOST_CHARACTERS)
  return /[A-Za-z0-9_]/.test(clean) ? clean : 'value'
}

/** The wanted name, or the first free one of `name_suffix`, `name_suffix_2` and so on. */
export function freeName(wanted: string, suffix: string, isTaken: (name: string) => boolean): string {
  if (!isTaken(wanted)) return wanted
  const start = wanted.slice(0, MOST_CHARACTERS - suffix.length - 4)
  let name = `${start}_${suffix}`
  for (let n = 2; isTaken(name); n++) name = `${start}_${suffix}_${n}`
  return name
}
