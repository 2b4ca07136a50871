import { SpokenError } from '../../base/fault.ts'
import { checkColumns } from '../../check/rows/csv-header.ts'
import type { FileLayout } from './file-layouts.ts'

export type FileColumns = {
  /** Ours, by place. */
  readonly names: readonly string[]
  /** Whether the first line names them; otherwise it is a row. */
  readonly isNamed: boolean
}

/** Where the unit was, for a table that is not published. */
const ignored = 'location_id'

/**
 * The columns of a published file, from its first line. Until August 2016 it is a row, and columns are known by their
 * number alone; in the first half of 2011 the names begin with a number sign.
 */
export function fileColumns(firstLine: string, { test, forms }: FileLayout): FileColumns {
  const cells = cellsOf(firstLine)
  const first = (cells[0] ?? '').toLowerCase()
  if (/^#?\s*unit_id$/.test(first)) {
    const names = ['agent_id', ...cells.slice(1).map(nameOf)]
    checkColumns(
      names.filter((name) => name !== ignored),
      test,
    )
    return { names, isNamed: true }
  }
  if (!/^\d+$/.test(first)) throw new SpokenError('The first line is neither names of columns nor a row.')
  const names = forms.flatMap((form) => [form, [...form, ignored]]).find(({ length }) => length === cells.length)
  if (names === undefined) {
    const known = forms.map(({ length }) => `${length} or ${length + 1}`).join(', ')
    throw new SpokenError(`The first line has ${cells.length} cells; without names of columns there must be ${known}.`)
  }
  return { names, isNamed: false }
}

/** Some years write `ttfb_avg_time` for `ttfb_avg`. */
const nameOf = (cell: string): string => cell.toLowerCase().replace(/^(ttfb_\w+)_time$/, '$1')

/** A cell in quotes may hold a comma. */
const cellsOf = (line: string): string[] =>
  [...`${line},`.matchAll(/("(?:[^"]|"")*"|[^,]*),/g)].map(([, cell = '']) => cell.trim().replace(/^"(.*)"$/, '$1'))
