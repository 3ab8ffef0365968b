import type { Paint } from './paint.ts'

/** The lines that differ, with three around them, as `diff -u` prints them. Mask secrets before. */
export async function formatDiff(
  name: string,
  before: string | undefined,
  after: string,
  paint: Paint,
): Promise<string[]> {
  const { structuredPatch } = await import('diff')
  const { hunks } = structuredPatch(name, name, before ?? '', after, undefined, undefined, { context: 3 })
  const heading = before === undefined ? `${name} (new)` : name
  const body = hunks.flatMap((hunk) => [
    paint.cyan(`@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`),
    ...hunk.lines.filter((line) => !line.startsWith('\\')).map((line) => colourLine(line, paint)),
  ])
  return [paint.bold(heading), ...body]
}

function colourLine(line: string, paint: Paint): string {
  if (line.startsWith('+')) return paint.green(line)
  return line.startsWith('-') ? paint.red(line) : line
}
