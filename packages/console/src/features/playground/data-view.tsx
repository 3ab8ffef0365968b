import { useMemo } from 'react'
import { JsonTree } from '../../ui/text/json-tree.tsx'
import type { Column } from '../../ui/table/column.ts'
import { Table } from '../../ui/table/table.tsx'
import { isBranch, isJsonObject, toNumber, writeJson } from '../../api/json.ts'

const CELL = 500
/** Columns of a table; a tree shows more. */
const COLUMNS = 20

interface Row {
  readonly index: number
  readonly data: Record<string, unknown>
}

/** A table when the data is one, else a tree. */
export function Data({ value }: { value: unknown }) {
  const rows = useMemo(() => rowsOf(value)?.map((data, index): Row => ({ data, index })), [value])
  const columns = useMemo(() => columnsOf(rows ?? []), [rows])
  if (!rows) return <JsonTree value={value} open={3} />
  return <Table label="Data" rows={rows} columns={columns} keyOf={({ index }) => String(index)} wraps />
}

function columnsOf(rows: readonly Row[]): readonly Column<Row>[] {
  const names = [...new Set(rows.flatMap(({ data }) => Object.keys(data)))].slice(0, COLUMNS)
  return names.map((name) => ({
    id: name,
    title: name,
    width: 'minmax(6rem, 1fr)',
    sortBy: ({ data }) => sortKey(data[name]),
    cell: ({ data }) => cell(data[name]),
  }))
}

function sortKey(value: unknown): number | string | undefined {
  return toNumber(value) ?? (cell(value) || undefined)
}

function cell(value: unknown): string {
  if (value === undefined || value === null) return ''
  const text = isBranch(value) ? writeJson(value) : String(value)
  return text.length > CELL ? `${text.slice(0, CELL)}…` : text
}

/** Two or more flat objects, alone or as the only member of an object. */
function rowsOf(value: unknown): Record<string, unknown>[] | undefined {
  if (isJsonObject(value)) {
    const members = Object.values(value)
    return members.length === 1 && Array.isArray(members[0]) ? rowsOf(members[0]) : undefined
  }
  if (!Array.isArray(value) || value.length < 2) return undefined
  const isFlat = (row: unknown) => isJsonObject(row) && Object.values(row).filter(isBranch).length <= 1
  return value.every(isFlat) ? (value as Record<string, unknown>[]) : undefined
}
