import type { WireRecord } from '../../api/contract.ts'
import type { Column, Sort } from '../../ui/table/column.ts'
import { Table } from '../../ui/table/table.tsx'
import { COLUMNS } from './columns.tsx'

interface Props {
  readonly label?: string
  readonly columns?: readonly Column<WireRecord>[]
  readonly records: readonly WireRecord[]
  readonly selected: readonly number[]
  readonly sort: Sort | undefined
  readonly onSort: (sort: Sort) => void
  /** The filter: another one shows the top of the table. */
  readonly viewKey: string
  readonly opensByMoving?: boolean
  readonly onOpen: (id: number, how: { readonly shift: boolean }) => void
}

export function ExchangeTable({ label = 'Exchanges', columns = COLUMNS, records, ...props }: Props) {
  const { selected, onOpen, opensByMoving = true, ...rest } = props
  return (
    <Table
      label={label}
      rows={records}
      columns={columns}
      keyOf={({ id }) => String(id)}
      selected={selected.map(String)}
      onOpen={({ id }, how) => onOpen(id, how)}
      opensByMoving={opensByMoving}
      fill
      {...rest}
    />
  )
}
