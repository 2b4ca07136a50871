import type { MetricRequest } from '../api/metric-data.ts'
import type { RawPoint } from '../api/raw-points.ts'
import { splitText } from '../chart/series.ts'
import { csvLine } from '../parts/csv.ts'
import { saveFile } from '../parts/save-file.ts'
import { VirtualTable, type Column } from '../parts/virtual-table.tsx'

type Props = {
  asked: MetricRequest
  rows: readonly RawPoint[]
  /** True while rows arrive. A file that is saved at that time would be incomplete, and the user could not see that. */
  isArriving: boolean
}

/** Shows every single result as a row. */
export function RawTable({ asked, rows, isArriving }: Props) {
  const columns: Column<RawPoint>[] = [
    ...['dtime', 'agent', 'unit'].map((id) => ({ title: id, value: (point: RawPoint) => point[id] })),
    { title: 'metricValue', value: (point) => point.metricValue, isNumber: true },
    ...(asked.splits ?? []).map((id) => ({
      title: id,
      value: (point: RawPoint) => point[id],
      text: (point: RawPoint) => splitText(point[id]),
    })),
  ]
  const save = () =>
    saveFile(`${asked.metric}-raw.csv`, 'text/csv;charset=utf-8', [
      csvLine(columns.map(({ title }) => title)),
      ...rows.map((row) => csvLine(columns.map(({ value }) => value(row)))),
    ])
  return (
    <>
      <p className="row">
        <button type="button" disabled={isArriving} onClick={save}>
          Save these rows as CSV
        </button>
      </p>
      <VirtualTable label="Every result" columns={columns} rows={rows} />
    </>
  )
}
