import type { Span } from '../api/metadata.ts'

/** A period of days in which a field has one value. A null value means that the field has none. */
export type Stretch = { readonly value: string | null; readonly from: string | null; readonly to: string | null }
export type Lane = { readonly name: string; readonly stretches: readonly Stretch[] }

/** Returns one lane per field. Adjacent periods with the same value are merged. */
export function lanesOf(spans: readonly Span[]): Lane[] {
  const keys = [...new Set(spans.flatMap(({ custom }) => Object.keys(custom)))].toSorted()
  const lane = (name: string, value: (span: Span) => string | null): Lane => ({
    name,
    stretches: stretchesOf(spans, value),
  })
  return [
    lane('Package', (span) => span.package),
    lane('ISP', ({ isp }) => isp),
    lane('Time zone', ({ timezone }) => timezone),
    ...keys.map((key) => lane(key, ({ custom }) => customText(custom[key]))),
  ]
}

/** The text of a custom value. The number 1 and the text "1" are different values to the service, so texts are quoted. */
const customText = (value: string | number | undefined): string | null =>
  value === undefined ? null : typeof value === 'number' ? String(value) : `“${value}”`

function stretchesOf(spans: readonly Span[], valueOf: (span: Span) => string | null): Stretch[] {
  const stretches: Stretch[] = []
  for (const span of spans) {
    const value = valueOf(span)
    const before = stretches.at(-1)
    if (before !== undefined && before.value === value) stretches[stretches.length - 1] = { ...before, to: span.to }
    else stretches.push({ value, from: span.from, to: span.to })
  }
  return stretches
}

const dayMs = 86_400_000

/**
 * The days that the drawing covers. The last day is today. A tenth of the width is added at the beginning, for periods without
 * a start.
 */
export function windowOf(spans: readonly Span[], now: Date): { from: number; to: number } {
  const to = Math.ceil(now.getTime() / dayMs) * dayMs
  const starts = spans.flatMap(({ from }) => (from === null ? [] : [Date.parse(from)]))
  const first = Math.min(...starts, to - 28 * dayMs)
  return { from: first - Math.max((to - first) / 10, dayMs), to }
}

/** The position of a period in the drawing, as a percentage of its width. */
export function placeOf({ from, to }: Stretch, window: { from: number; to: number }): { left: number; width: number } {
  const share = (time: number) =>
    (100 * (Math.min(Math.max(time, window.from), window.to) - window.from)) / (window.to - window.from)
  const left = from === null ? 0 : share(Date.parse(from))
  const right = to === null ? 100 : share(Date.parse(to) + dayMs)
  return { left, width: right - left }
}
