import { UserFacingError } from '../../base/fault.ts'
import { checkColumns } from '../../check/rows/csv-header.ts'
import type { FileLayout } from './file-layouts.ts'

export type FileColumns = {
  /** Our column names, in the order of the file's columns. */
  readonly names: readonly string[]
  /** True if the first line contains column names. False if it is a row. */
  readonly isNamed: boolean
}

/** A column that is not imported: it refers to a table that is not published. */
const ignored = 'location_id'

/**
 * Determines the columns of a published file from its first line.
 * - In most files until August 2016, the first line is a row. Only the number of its cells shows which columns the file has.
 * - In files of the first half of 2011, the first line contains column names, after a number sign.
 * - Later files have a header.
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
  if (!/^\d+$/.test(first)) throw new UserFacingError('The first line contains neither the names of columns nor a row.')
  const names = forms.flatMap((form) => [form, [...form, ignored]]).find(({ length }) => length === cells.length)
  if (names === undefined) {
    const known = forms.map(({ length }) => `${length} or ${length + 1}`).join(', ')
    throw new UserFacingError(
      `The first line has ${cells.length} cells. Without the names of columns it must have ${known} cells.`,
    )
  }
  return { names, isNamed: false }
}

/** Our name of a column. The files of some years have `ttfb_avg_time` instead of `ttfb_avg`. */
const nameOf = (cell: string): string => cell.toLowerCase().replace(/^(ttfb_\w+)_time$/, '$1')

/** Splits a line into cells. A quoted cell may contain a comma. */
const cellsOf = (line: string): string[] =>
  [...`${line},`.matchAll(/("(?:[^"]|"")*"|[^,]*),/g)].map(([, cell = '']) => cell.trim().replace(/^"(.*)"$/, '$1'))
