import type { OnStep } from '../../synth/stores.ts'

/** Prints JSON for programs, or aligned columns for people. */
export type Printer = { readonly json: boolean; readonly write: (text: string) => void }

export function print({ json, write }: Printer, value: object, sentence?: string): void {
  if (json) write(`${JSON.stringify(value)}\n`)
  else write(`${sentence ?? table(Array.isArray(value) ? value : [value])}\n`)
}

function table(rows: readonly Record<string, unknown>[]): string {
  const [first] = rows
  if (first === undefined) return 'There are no rows.'
  const names = Object.keys(first)
  const lines = [names, ...rows.map((row) => names.map((name) => cell(row[name])))]
  const widths = names.map((_, index) => lines.reduce((most, line) => Math.max(most, line[index]?.length ?? 0), 0))
  return lines
    .map((line) =>
      line
        .map((text, index) => text.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '-'
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value.join(',') || '-'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Shows the progress of a long command: on a terminal one line that is overwritten, in a pipe one line every few seconds. */
export async function withProgress<Result>(
  label: string,
  work: (update: (count: number) => void) => Promise<Result>,
  stream: NodeJS.WriteStream = process.stderr,
): Promise<Result> {
  const startedAt = performance.now()
  let shownAt = startedAt
  const update = (count: number) => {
    const now = performance.now()
    if (now - shownAt < (stream.isTTY ? 200 : 5_000)) return
    shownAt = now
    const perSecond = Math.round((count / (now - startedAt)) * 1000)
    const text = `${label}: ${count.toLocaleString('en')} lines, ${perSecond.toLocaleString('en')} a second`
    stream.write(stream.isTTY ? `\r\u001B[K${text}` : `${text}\n`)
  }
  try {
    return await work(update)
  } finally {
    if (stream.isTTY) stream.write('\r\u001B[K')
  }
}

/**
 * Shows the progress of writing a synthetic panel: on a terminal one line that is overwritten, in a pipe one line per finished
 * step.
 */
export function showSteps(stream: NodeJS.WriteStream = process.stderr): OnStep {
  const startedAt = performance.now()
  return ({ step, done, of }) => {
    const isDone = done >= of
    if (!stream.isTTY && !isDone) return
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(0)
    const text = `    ${step}: ${Math.min(100, Math.floor((100 * done) / of))} %, ${seconds} s`
    stream.write(stream.isTTY ? `\r\u001B[K${text}${isDone ? '\n' : ''}` : `${text}\n`)
  }
}
