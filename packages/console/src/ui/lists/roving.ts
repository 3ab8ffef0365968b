const PAGE = 10

/** Where a key moves to in a list of rows; undefined when it is no key for moving. */
export function destination(key: string, from: number, count: number): number | undefined {
  const to = {
    ArrowDown: from + 1,
    ArrowUp: from - 1,
    PageDown: from + PAGE,
    PageUp: from - PAGE,
    Home: 0,
    End: count - 1,
  }[key]
  return to === undefined || count === 0 ? undefined : Math.min(Math.max(to, 0), count - 1)
}
