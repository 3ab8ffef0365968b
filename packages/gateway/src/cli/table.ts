/** Lines up columns. Colours do not count as width. */
export function formatTable(rows: readonly (readonly string[])[]): string[] {
  const columns = Math.max(0, ...rows.map((row) => row.length))
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => visibleLength(row[column] ?? ''))),
  )
  return rows.map((row) =>
    row
      .map((cell, column) => cell + ' '.repeat(Math.max(0, widths[column]! - visibleLength(cell))))
      .join('  ')
      .trimEnd(),
  )
}

function visibleLength(text: string): number {
  return text.replaceAll(/\u001b\[\d+m/g, '').length
}

/** A time as a cell of a table. */
export function timeIn(time: number | undefined, otherwise: string): string {
  return time === undefined ? otherwise : new Date(time).toISOString().slice(0, 16).replace('T', ' ')
}
