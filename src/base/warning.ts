/** A note in a successful response. Codes are in lower snake case. */
export type Warning = {
  readonly code: (typeof warningCodes)[number]
  readonly message: string
  /** The id of the filter. */
  readonly id?: string
  /** The value as requested, with secrets redacted and long values shortened. */
  readonly value?: string
  /** The first and the last UTC day with results. */
  readonly firstDay?: string
  readonly lastDay?: string
  /** The test, if the request needs the results of several tests. */
  readonly test?: string
  /** Keys of the panels whose results are pooled. */
  readonly panels?: readonly string[]
}

export const warningCodes = ['unknown_filter_value', 'range_beyond_data', 'panels_pooled', 'more_warnings'] as const
