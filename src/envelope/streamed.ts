import { ok } from './envelope.ts'
import type { Meta, PageMeta } from './meta.ts'

/** A response whose rows are streamed. `before` and `after` are the text of the envelope before and after the rows. */
export type Streamed<Rows> = {
  readonly before: string
  readonly rows: Rows
  readonly after: string
  readonly headers?: Readonly<Record<string, string>>
}

const placeholder = '\u0000'

/** Splits the text of `ok()` at the placeholder, so a streamed response has the same envelope as a buffered one. */
function around<Rows>(data: unknown, rows: Rows, meta: Meta | PageMeta | undefined): Streamed<Rows> {
  const [before = '', after = ''] = JSON.stringify(ok(data, [], meta)).split(JSON.stringify(placeholder))
  return { before, rows, after }
}

/** The rows become the value of `data`. */
export const okStreamed = <Rows>(rows: Rows, meta?: PageMeta): Streamed<Rows> => around(placeholder, rows, meta)

/** The rows become the points of the only series of a response with raw results. */
export const okSeriesStreamed = <Rows>(rows: Rows, meta?: Meta): Streamed<Rows> =>
  around([{ metricData: placeholder }], rows, meta)
