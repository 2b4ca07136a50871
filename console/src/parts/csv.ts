/**
 * Writes a CSV line (RFC 4180) like the service does: null is empty, and a text that a spreadsheet would execute starts with an
 * apostrophe.
 */
export function csvLine(cells: readonly unknown[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`
}

/** Must equal `formulaStart` of the service. A test compares the two. */
const startsFormula = /^([\t\r]|[\p{Z}\p{Cc}\p{Cf}]*[=+\-@＝＋－＠])/u

function csvCell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const safe = startsFormula.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
