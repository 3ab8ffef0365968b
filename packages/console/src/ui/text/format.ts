const number = new Intl.NumberFormat('en')

export function formatCount(value: number): string {
  return number.format(value)
}

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

/** `9,876`, `12.3K`, `4.5M` */
export function formatRoughly(value: number): string {
  return (value < 10_000 ? number : compact).format(value)
}

/** `840 ms`, `2.4 s`, `3 min` */
export function formatDuration(milliseconds: number | undefined): string {
  if (milliseconds === undefined) return '–'
  if (milliseconds < 1) return '<1 ms'
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`
  if (milliseconds < 60_000) return `${(milliseconds / 1_000).toFixed(milliseconds < 10_000 ? 1 : 0)} s`
  if (milliseconds < 3_600_000) return `${Math.round(milliseconds / 60_000)} min`
  if (milliseconds < 86_400_000) return `${(milliseconds / 3_600_000).toFixed(1)} h`
  return `${Math.round(milliseconds / 86_400_000)} d`
}

export function formatBytes(bytes: number | undefined): string {
  if (bytes === undefined) return '–'
  if (bytes < 1_024) return `${bytes} B`
  // Never four digits: columns have room for three.
  if (bytes < 1_023_488) return `${(bytes / 1_024).toFixed(bytes < 10_189 ? 1 : 0)} KB`
  if (bytes < 1_048_051_712) return `${(bytes / 1_048_576).toFixed(bytes < 10_433_331 ? 1 : 0)} MB`
  return `${(bytes / 1_073_741_824).toFixed(1)} GB`
}

export function formatPercent(rate: number | undefined): string {
  if (rate === undefined) return '–'
  return `${(rate * 100).toFixed(rate > 0 && rate < 0.1 ? 1 : 0)} %`
}

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })

export function formatTime(at: number): string {
  const date = new Date(at)
  const isToday = new Date().toDateString() === date.toDateString()
  return isToday ? clock.format(date) : `${day.format(date)} ${clock.format(date)}`
}

export function formatAgo(at: number, now: number): string {
  const passed = now - at
  return passed < 1_500 ? 'just now' : `${formatDuration(passed)} ago`
}

export function plural(count: number, word: string, words = `${word}s`): string {
  return `${formatCount(count)} ${count === 1 ? word : words}`
}
