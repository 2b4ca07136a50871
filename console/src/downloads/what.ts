import type { Download } from '../api/console-lists.ts'

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

const rangeText = (value: unknown): string => {
  const { from, to }: { from?: unknown; to?: unknown } = typeof value === 'object' && value !== null ? value : {}
  return `${text(from)} to ${text(to)}`
}

/** Describes a file in one line, based on its request. */
export function whatOf({ source, request }: Pick<Download, 'source' | 'request'>): string {
  if (source === 'test_data') return [text(request['test']), rangeText(request['date'])].join(', ')
  const points = request['chartType'] === 'raw' ? 'single results' : text(request['aggregation'])
  const splits =
    Array.isArray(request['splits']) && request['splits'].length > 0 ? `by ${request['splits'].join(', ')}` : ''
  return [text(request['metric']), points, splits, rangeText(request['time'])].filter((part) => part !== '').join(', ')
}
