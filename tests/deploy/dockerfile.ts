/** One `FROM` with what follows it. */
export interface Stage {
  readonly from: string
  /** The arguments of all instructions of this name. */
  find(instruction: string): string[]
}

export function dockerfile(text: string): Stage[] {
  const lines = text
    .replace(/^\s*#.*\n/gm, '')
    .replace(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => /^([A-Z]+)\s+(.*)$/.exec(line)!.slice(1) as [string, string])
  const starts = lines.flatMap(([name], at) => (name === 'FROM' ? [at] : []))
  return starts.map((start, number) => {
    const own = lines.slice(start + 1, starts[number + 1])
    return {
      from: lines[start]![1],
      find: (instruction) => own.flatMap(([name, args]) => (name === instruction ? [args] : [])),
    }
  })
}
