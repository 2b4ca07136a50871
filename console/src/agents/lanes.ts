import type { Span } from '../api/metadata.ts'

/** A stretch of days with one value; null: none. */
export type Stretch = { readonly value: string | null; readonly from: string | null; readonly to: string | null }
export type Lane = { readonly name: string; readonly stretches: readonly Stretch[] }

/** One lane a field; neighbours with the same value are one stretch. */
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

/** A number and the text of it are different values to the service; quotes tell them apart. */
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

/** The days the drawing covers: a tenth more than is known at the beginning, for "since ever", and up to tomorrow. */
export function windowOf(spans: readonly Span[], now: Date): { from: number; to: number } {
  const to = Math.ceil(now.getTime() / dayMs) * dayMs
  const starts = spans.flatMap(({ from }) => (from === null ? [] : [Date.parse(from)]))
  const first = Math.min(...starts, to - 28 * dayMs)
  return { from: first - Math.max((to - first) / 10, dayMs), to }
}

/** Where a stretch lies in the window, in hundredths of it. */
export function placeOf({ from, to }: Stretch, window: { from: number; to: number }): { left: number; width: number } {
  const share = (time: number) =>
    (100 * (Math.min(Math.max(time, window.from), window.to) - window.from)) / (window.to - window.from)
  const left = from === null ? 0 : share(Date.parse(from))
  const right = to === null ? 100 : share(Date.parse(to) + dayMs)
  return { left, width: right - left }
}
