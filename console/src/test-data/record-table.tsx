import { useState } from 'react'
import type { TestDataRequest, TestRecord } from '../api/test-data.ts'
import { count } from '../chart/numbers.ts'
import { csvLine } from '../parts/csv.ts'
import { Empty, Loading } from '../parts/notice.tsx'
import { saveFile } from '../parts/save-file.ts'
import { VirtualTable } from '../parts/virtual-table.tsx'
import { rowsMax, type Rows } from '../parts/use-rows.ts'

type Records = Rows<TestDataRequest, TestRecord>

const said: Record<Records['status'], string> = {
  idle: '',
  loading: ' so far …',
  whole: ', all there are',
  stopped: ' had arrived when you stopped; there may be more',
  full: `: the first ${count(rowsMax)}. There are more: narrow the range, or make a file of all rows`,
  failed: ' had arrived; this is not the whole answer',
}

export function RecordTable({ records: { asked, rows, status } }: { records: Records }) {
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  if (asked === null) {
    return (
      <Empty title="Nothing asked yet.">Choose a test and days, then “Show records”. Rows appear as they arrive.</Empty>
    )
  }
  const [first] = rows
  if (first === undefined) {
    if (status === 'loading') return <Loading what="records" />
    if (status === 'stopped') return <Empty title="Stopped.">No record had arrived yet; there may be some.</Empty>
    return status === 'failed' ? null : (
      <Empty title="No records.">Nothing was measured on these days. Choose others.</Empty>
    )
  }
  const names = Object.keys(first)
  const columns = names
    .filter((name) => !hidden.has(name))
    .map((name) => ({ title: name, value: (row: TestRecord) => row[name], isNumber: typeof first[name] === 'number' }))
  const save = () =>
    saveFile(`${asked.test}.csv`, 'text/csv;charset=utf-8', [
      csvLine(columns.map(({ title }) => title)),
      ...rows.map((row) => csvLine(columns.map(({ value }) => value(row)))),
    ])
  return (
    <>
      <div className="row">
        <span role="status">
          {count(rows.length)} records{said[status]}
        </span>
        <details className="columns">
          <summary>Columns</summary>
          {names.map((name) => (
            <label key={name}>
              <input
                type="checkbox"
                checked={!hidden.has(name)}
                onChange={() => setHidden(hidden.symmetricDifference(new Set([name])))}
              />{' '}
              {name}
            </label>
          ))}
        </details>
        <button type="button" disabled={status === 'loading' || status === 'failed'} onClick={save}>
          Save these rows as CSV
        </button>
      </div>
      <VirtualTable label="Records" columns={columns} rows={rows} />
    </>
  )
}
