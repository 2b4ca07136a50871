/** Something a caller should know of an answer that is right all the same. Codes are in lower snake case. */
export type Warning = {
  readonly code: 'unknown_filter_value' | 'more_warnings'
  readonly message: string
  /** Of the filter. */
  readonly id?: string
  /** As it was asked for, without what looks like a secret; of a long one the beginning. */
  readonly value?: string
}
