/** Storage types, few on purpose. Measured values are signed: an impossible negative is kept and left to the prefilter. */
export type ColumnType = 'text' | 'uint8' | 'uint16' | 'uint32' | 'int64'

export type ColumnUnit = 'µs' | 'bytes' | 'bytes/s' | 'bit/s' | 'packets' | 'count'

export type Column = {
  readonly name: string
  readonly type: ColumnType
  readonly unit: ColumnUnit | null
  readonly description: string
  /** A row without it cannot be stored. Everything else may be missing, and is then null, never zero. */
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
/** Small whole numbers that name something: threads, IP version, hop. */
export const smallNumber = column('uint16', null)
export const tinyNumber = column('uint8', null)

/** Nearly every test ends with these two; a result that does not say whether it succeeded cannot be judged. */
export const outcome: readonly Column[] = [
  count('successes', 'Number of attempts that succeeded.', { required: true }),
  count('failures', 'Number of attempts that failed.', { required: true }),
]
