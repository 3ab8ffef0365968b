import type { DiffHunk, DiffLine } from '../contract.ts'

/** The lines in which two texts differ, with three around them. */
export async function textDiff(before: string, after: string): Promise<DiffHunk[]> {
  const { structuredPatch } = await import('diff')
  const { hunks } = structuredPatch('', '', before, after, undefined, undefined, { context: 3 })
  return hunks.map((hunk) => {
    let beforeLine = hunk.oldStart
    let afterLine = hunk.newStart
    const lines = hunk.lines
      .filter((line) => !line.startsWith('\\'))
      .map((line): DiffLine => {
        const text = line.slice(1)
        if (line.startsWith('+')) return { type: 'added', text, after: afterLine++ }
        if (line.startsWith('-')) return { type: 'removed', text, before: beforeLine++ }
        return { type: 'same', text, before: beforeLine++, after: afterLine++ }
      })
    return { lines }
  })
}
