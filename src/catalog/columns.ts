/**
 * The types that columns of tests can have. There are deliberately few. Times, sizes and speeds are signed: an impossible
 * negative value is stored, and the prefilter excludes it.
 */
export type ColumnType = 'text' | 'uint8' | 'uint16' | 'uint32' | 'int64'

export type ColumnUnit = 'µs' | 'bytes' | 'bytes/s' | 'bit/s' | 'packets' | 'count'

export type Column = {
  readonly name: string
  readonly type: ColumnType
  readonly unit: ColumnUnit | null
  readonly description: string
  /**
   * If true, a row without a value in this column is rejected. In other columns a missing value is stored as null, never as
   * zero.
   */
  readonly required: boolean
}

type Options = { required?: boolean }

const column =
  (type: ColumnType, unit: ColumnUnit | null) =>
  (name: string, description: string, { required = false }: Options = {}): Column => ({
    name,
    type,
    unit,
    description,
    required,
  })

export const text = column('text', null)
export const microseconds = column('int64', 'µs')
export const bytes = column('int64', 'bytes')
export const bytesPerSecond = column('int64', 'bytes/s')
export const bitsPerSecond = column('int64', 'bit/s')
export const packets = column('uint32', 'packets')
export const count = column('uint32', 'count')
/** For small whole numbers that are identifiers or positions, such as an IP version or a hop. */
export const smallNumber = column('uint16', null)
export const tinyNumber = column('uint8', null)

/** The last two columns of nearly every test. Without them a result cannot be interpreted. */
export const outcome: readonly Column[] = [
  count('successes', 'Number of attempts that succeeded.', { required: true }),
  count('failures', 'Number of attempts that failed.', { required: true }),
]
