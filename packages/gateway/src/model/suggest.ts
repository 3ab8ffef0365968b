/** A shorter beginning fits too much. */
const SHORTEST_BEGINNING = 4

/** The candidate that was probably meant: the same but for case and `-_`, a few slips away, or begun alike. */
export function suggest(written: string, candidates: readonly string[]): string | undefined {
  const plain = (text: string) => text.toLowerCase().replaceAll(/[-_\s]/g, '')
  const wanted = plain(written)
  let best: string | undefined
  let fewest = Math.max(1, Math.floor(wanted.length / 3)) + 1
  for (const candidate of candidates) {
    const slips = countSlips(wanted, plain(candidate))
    if (slips < fewest) {
      best = candidate
      fewest = slips
    }
  }
  if (wanted.length < SHORTEST_BEGINNING) return best
  return best ?? candidates.find((candidate) => plain(candidate).startsWith(wanted))
}

/** Letters added, dropped, changed or swapped with their neighbour (optimal string alignment). */
export function countSlips(a: string, b: string): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      let cost = Math.min(change, row[j]! + 1, next[j - 1]! + 1)
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (isSwap) cost = Math.min(cost, before[j - 2]! + 1)
      next.push(cost)
    }
    before = row
    row = next
  }
  return row[b.length]!
}
