import { brokenOff, isAbort } from './api-error.ts'
import { send } from './call.ts'
import type { Warning } from './call-service.ts'
import { RecordReader } from './record-reader.ts'
import type { Session } from './session.ts'

export type Streamed = {
  readonly path: '/test_data' | '/metric_data'
  readonly body: unknown
  /** Number of open braces and brackets inside a row, including the row's own brace. */
  readonly rowDepth: number
  readonly onWarnings?: (warnings: readonly Warning[]) => void
}

/** Yields rows as they arrive. Throws if the response was incomplete. */
export async function* streamRows<Row>(
  session: Session,
  { path, body, rowDepth, onWarnings }: Streamed,
  signal: AbortSignal,
): AsyncGenerator<Row[]> {
  const response = await send(session, { interface: 'data', method: 'POST', path, body, signal })
  const warnings: readonly Warning[] = JSON.parse(response.headers.get('broadgauge-warnings') ?? '[]')
  onWarnings?.(warnings)
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  const records = new RecordReader<Row>(rowDepth)
  try {
    for (let piece = await reader?.read(); piece?.done === false; piece = await reader?.read()) {
      for (let at = 0; at < piece.value.length; at += sliceCharacters) {
        const rows = records.take(piece.value.slice(at, at + sliceCharacters))
        if (rows.length > 0) yield rows
        await breathe()
      }
    }
  } catch (error) {
    if (isAbort(error)) throw error
    throw brokenOff(response.status)
  }
  if (!records.isWhole) throw brokenOff(response.status)
}

/** Size of the slices that are parsed at a time. A piece may have megabytes; a slice is parsed in a few milliseconds. */
const sliceCharacters = 65_536
const workMs = 12
let workedSince = 0

/** Lets the page handle user input. A promise alone does not: it resolves before the browser handles a click. */
async function breathe(): Promise<void> {
  if (performance.now() - workedSince < workMs) return
  await new Promise((resolve) => setTimeout(resolve))
  workedSince = performance.now()
}
