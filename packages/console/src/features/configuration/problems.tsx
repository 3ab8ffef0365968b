import type { ConfigProblem } from '../../api/contract.ts'
import { Badge } from '../../ui/signs/badge.tsx'
import { Rich } from '../../ui/text/rich.tsx'
import styles from './configuration-page.module.css'

interface Props {
  readonly problems: readonly ConfigProblem[]
  readonly onShow: (line: number) => void
}

/** The same problems as in the margin of the editor, in words and with their fixes. */
export function Problems({ problems, onShow }: Props) {
  if (problems.length === 0) return null
  return (
    <ul className={styles.problems} aria-label="Problems" aria-live="polite">
      {problems.map((problem) => (
        <li key={`${problem.line}:${problem.column} ${problem.code} ${problem.message}`}>
          <Badge tone={problem.severity === 'error' ? 'bad' : 'warn'}>{problem.severity}</Badge>
          <button type="button" onClick={() => onShow(problem.line)}>
            Line {problem.line}
          </button>
          <span>
            {problem.path !== '' && <code>{problem.path} </code>}
            <Rich text={problem.message} /> {problem.fix && <Rich text={problem.fix} />}
          </span>
        </li>
      ))}
    </ul>
  )
}
