import type { KeyboardEvent, MouseEvent, ReactNode } from 'react'
import { escapeControls } from '../../api/contract.ts'
import type { Column } from './column.ts'
import styles from './table.module.css'

interface Props<Row> {
  readonly row: Row
  readonly rowKey: string
  readonly columns: readonly Column<Row>[]
  readonly index: number
  /** In pixels, from the top of all rows. */
  readonly start: number
  /** Given when rows are as high as they need. */
  readonly measure: ((element: Element | null) => void) | undefined
  readonly isStop: boolean
  readonly isSelected: boolean
  readonly onFocus: (key: string) => void
  readonly onOpen: ((row: Row, how: { readonly shift: boolean }) => void) | undefined
}

export function TableRow<Row>({ row, rowKey, columns, index, start, measure, onOpen, ...props }: Props<Row>) {
  const opening = onOpen && {
    tabIndex: props.isStop ? 0 : -1,
    'aria-selected': props.isSelected,
    onFocus: () => props.onFocus(rowKey),
    onClick: (event: MouseEvent) => {
      if (!isControl(event.target)) onOpen(row, { shift: event.shiftKey })
    },
    onKeyDown: (event: KeyboardEvent) => {
      if (event.target !== event.currentTarget || (event.key !== 'Enter' && event.key !== ' ')) return
      event.preventDefault()
      onOpen(row, { shift: event.shiftKey })
    },
  }
  return (
    <tr
      ref={measure}
      data-index={index}
      data-key={rowKey}
      aria-rowindex={index + 2}
      className={onOpen && styles.opens}
      style={{ translate: `0 ${start}px` }}
      {...opening}
    >
      {columns.map((column) => (
        <td
          key={column.id}
          data-title={column.title}
          data-narrow={column.narrow}
          className={column.isNumber ? styles.number : undefined}
        >
          {shortened(column.cell(row))}
        </td>
      ))}
    </tr>
  )
}

/** Bare text in a cell could not end in an ellipsis. Signs that turn it around or hide in it are in sight. */
function shortened(content: ReactNode): ReactNode {
  if (typeof content !== 'string' || content === '') return content
  const text = escapeControls(content)
  return <span title={text}>{text}</span>
}

/** A link or button in a row does its own thing. */
function isControl(element: EventTarget): boolean {
  return element instanceof Element && element.closest('a, button, input, select, summary') !== null
}
