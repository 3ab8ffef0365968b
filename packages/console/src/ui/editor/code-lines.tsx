import { memo, type Ref } from 'react'
import styles from './editor.module.css'
import { cut, toLines, type EditorProblem, type Format, type Token } from './tokens.ts'

interface Props {
  readonly text: string
  readonly format: Format
  readonly problems: readonly EditorProblem[]
  readonly current: number | undefined
  readonly ref: Ref<HTMLPreElement>
}

/** The coloured text behind the field, line by line. A line that stays as it was is not drawn again. */
export function CodeLines({ text, format, problems, current, ref }: Props) {
  const found = new Map(problems.map((problem) => [problem.line, problem]))
  return (
    <pre ref={ref} className={styles.lines} aria-hidden>
      {toLines(text, format).map((tokens, index) => {
        const problem = found.get(index + 1)
        return (
          <Line
            // biome-ignore lint/suspicious/noArrayIndexKey: a line is known by its number
            key={index}
            tokens={tokens}
            isCurrent={current === index + 1}
            {...(problem && {
              severity: problem.severity,
              from: problem.column - 1,
              length: Math.max(problem.length, 1),
            })}
          />
        )
      })}
    </pre>
  )
}

interface LineProps {
  readonly tokens: readonly Token[]
  readonly isCurrent: boolean
  readonly severity?: EditorProblem['severity']
  readonly from?: number
  readonly length?: number
}

const Line = memo(function Line({ tokens, isCurrent, severity, from = 0, length = 0 }: LineProps) {
  return (
    <span className={styles.line} data-current={isCurrent || undefined} data-problem={severity}>
      {cut(tokens, from, from + length).map(({ text, kind, isMarked }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text, in its order
        <span key={index} className={kind && styles[kind]} data-marked={isMarked || undefined}>
          {text}
        </span>
      ))}
    </span>
  )
}, isSameLine)

function isSameLine(before: LineProps, after: LineProps): boolean {
  const { tokens, isCurrent, severity, from, length } = before
  return (
    isCurrent === after.isCurrent &&
    severity === after.severity &&
    from === after.from &&
    length === after.length &&
    tokens.length === after.tokens.length &&
    tokens.every(({ text, kind }, index) => {
      const other = after.tokens[index]!
      return text === other.text && kind === other.kind
    })
  )
}
