/** What a command shows: JSON for programs, aligned columns for people. */
export type Printer = { readonly json: boolean; readonly write: (text: string) => void }

export function print({ json, write }: Printer, value: object, sentence?: string): void {
  if (json) write(`${JSON.stringify(value)}\n`)
  else write(`${sentence ?? table(Array.isArray(value) ? value : [value])}\n`)
}

function table(rows: readonly Record<string, unknown>[]): string {
  const [first] = rows
  if (first === undefined) return 'nothing'
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
