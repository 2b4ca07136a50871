const grouped = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 0 })

export const count = (value: number): string => grouped.format(value)

export const agents = (value: number): string => `${count(value)} ${value === 1 ? 'agent' : 'agents'}`

/** Four significant digits read well; the exact figure is in the answer and in the table's file. */
export function figure(value: number | null | undefined): string {
  if (value === null || value === undefined) return '–'
  if (Math.abs(value) >= 10_000) return grouped.format(value)
  return String(Number(value.toPrecision(4)))
}
