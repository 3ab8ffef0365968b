import type { Row, Rows, ScannedRow, Store } from './store.ts'

const PAGE = 200

/** All rows of one purpose whose keys begin with a prefix, read page by page. */
export async function* allRows(rows: Rows, prefix = ''): AsyncGenerator<Row> {
  for (let after: string | undefined; ; ) {
    const page: Row[] = await rows.list({ prefix, limit: PAGE, ...(after !== undefined && { after }) })
    yield* page
    if (page.length < PAGE) return
    after = page.at(-1)!.key
  }
}

/** Everything in a store as it is kept there, read page by page. */
export async function* scanAll(store: Store): AsyncGenerator<ScannedRow> {
  for (let after: ScannedRow | undefined; ; ) {
    const page: ScannedRow[] = await store.scan(after, PAGE)
    yield* page
    after = page.at(-1)
    if (!after) return
  }
}
