const grouped = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 0 })

export const count = (value: number): string => grouped.format(value)

export const agents = (value: number): string => `${count(value)} ${value === 1 ? 'agent' : 'agents'}`

/** Formats a ratio in per cent. Two digits are easy to read, but a ratio near 0 or 100 must not be rounded to 0 or 100. */
export function shareText(part: number, whole: number): string {
  const percent = (100 * part) / whole
  if (part === 0 || part === whole) return `${percent} %`
  if (percent < 0.001) return 'less than 0.001 %'
  return `${percent < 99 ? Number(percent.toPrecision(2)) : Math.min(Number(percent.toFixed(1)), 99.9)} %`
}

/**
 * Formats a number with four significant digits, which are easy to read. The response and the table's file contain the exact
 * number.
 */
export function shortNumber(value: number | null | undefined): string {
  if (value === null || value === undefined) return '–'
  if (Math.abs(value) >= 10_000) return grouped.format(value)
  return String(Number(value.toPrecision(4)))
}

/** The unit of a metric as texts write it. */
export const unitSymbol = (unit: string): string => (unit === 'mbps' ? 'Mbit/s' : unit)
