import { ok } from './envelope.ts'

/** An answer whose rows are passed on as they come: the envelope's text before and after them. */
export type Streamed<Rows> = {
  readonly before: string
  readonly rows: Rows
  readonly after: string
  readonly headers?: Readonly<Record<string, string>>
}

const place = '\u0000'

/** The envelope cut in two where `data` has the placeholder, so that it cannot differ from the one made in one piece. */
function around<Rows>(data: unknown, rows: Rows): Streamed<Rows> {
  const [before = '', after = ''] = JSON.stringify(ok(data)).split(JSON.stringify(place))
  return { before, rows, after }
}

/** `rows` is the whole array. */
export const okStreamed = <Rows>(rows: Rows): Streamed<Rows> => around(place, rows)

/** `rows` is the array of points of the one series a raw answer has. */
export const okSeriesStreamed = <Rows>(rows: Rows): Streamed<Rows> => around([{ metricData: place }], rows)
