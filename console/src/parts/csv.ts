/** RFC 4180, as the service writes it: null is empty, and text that a spreadsheet would run begins with an apostrophe. */
export function csvLine(cells: readonly unknown[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`
}

/** As `formulaStart` of the service, with which a test compares it. */
const startsFormula = /^([\t\r]|[\p{Z}\p{Cc}\p{Cf}]*[=+\-@＝＋－＠])/u

function csvCell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const safe = startsFormula.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
