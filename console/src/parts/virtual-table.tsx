import { useEffect, useRef, useState } from 'react'

export type Column<Row> = {
  readonly title: string
  readonly value: (row: Row) => unknown
  /** The text of a cell, if it differs from the value itself. */
  readonly text?: (row: Row) => string
  readonly isNumber?: boolean
}

type Props<Row> = { label: string; columns: readonly Column<Row>[]; rows: readonly Row[] }

const rowPixels = 30
const sparePixels = 300

/** A table of any length. Only the visible rows are in the page, so a hundred thousand rows scroll as fast as ten. */
export function VirtualTable<Row>({ label, columns, rows }: Props<Row>) {
  const frame = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  const [height, setHeight] = useState(600)
  useEffect(() => {
    const element = frame.current
    if (element === null) return undefined
    const observer = new ResizeObserver(() => setHeight(element.clientHeight))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  const first = Math.max(0, Math.floor((top - sparePixels) / rowPixels))
  const last = Math.min(rows.length, Math.ceil((top + height + sparePixels) / rowPixels))
  return (
    // A scrolling element must be reachable with the keyboard.
    <div
      className="table-frame"
      ref={frame}
      tabIndex={0}
      role="region"
      aria-label={label}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <table aria-rowcount={rows.length + 1} aria-label={label}>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map(({ title, isNumber }) => (
              <th key={title} scope="col" className={isNumber === true ? 'number' : undefined}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Space rows={first} columns={columns.length} />
          {rows.slice(first, last).map((row, offset) => (
            // Rows have no id, so their index identifies them.
            <tr key={first + offset} aria-rowindex={first + offset + 2}>
              {columns.map(({ title, value, text, isNumber }) => (
                <td key={title} className={isNumber === true ? 'number' : undefined}>
                  {text === undefined ? cellText(value(row)) : text(row)}
                </td>
              ))}
            </tr>
          ))}
          <Space rows={rows.length - last} columns={columns.length} />
        </tbody>
      </table>
    </div>
  )
}

const Space = ({ rows, columns }: { rows: number; columns: number }) =>
  rows > 0 ? (
    <tr aria-hidden="true">
      <td colSpan={columns} style={{ height: rows * rowPixels, padding: 0 }} />
    </tr>
  ) : null

const cellText = (value: unknown): string =>
  value === null || value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)
