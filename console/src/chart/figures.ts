const grouped = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 0 })

export const count = (value: number): string => grouped.format(value)

export const agents = (value: number): string => `${count(value)} ${value === 1 ? 'agent' : 'agents'}`

/** In per cent. Two digits read well, but what is left of nearly all, or of nearly nothing, must not be rounded away. */
export function shareText(part: number, whole: number): string {
  const percent = (100 * part) / whole
  if (part === 0 || part === whole) return `${percent} %`
  if (percent < 0.001) return 'less than 0.001 %'
  return `${percent < 99 ? Number(percent.toPrecision(2)) : Math.min(Number(percent.toFixed(1)), 99.9)} %`
}

/** Four significant digits read well; the exact figure is in the answer and in the table's file. */
export function figure(value: number | null | undefined): string {
  if (value === null || value === undefined) return '–'
  if (Math.abs(value) >= 10_000) return grouped.format(value)
  return String(Number(value.toPrecision(4)))
}
