import type { Download } from '../api/console-lists.ts'

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

const rangeText = (value: unknown): string => {
  const { from, to }: { from?: unknown; to?: unknown } = typeof value === 'object' && value !== null ? value : {}
  return `${text(from)} to ${text(to)}`
}

type Request = NonNullable<Download['request']>

/** A file in a line, from the request it is of. */
export function whatOf({ source, request }: { source: Download['source']; request: Request }): string {
  if (source === 'test_data') return [text(request['test']), rangeText(request['date'])].join(', ')
  const points = request['chartType'] === 'raw' ? 'single results' : text(request['aggregation'])
  const splits =
    Array.isArray(request['splits']) && request['splits'].length > 0 ? `by ${request['splits'].join(', ')}` : ''
  return [text(request['metric']), points, splits, rangeText(request['time'])].filter((part) => part !== '').join(', ')
}
