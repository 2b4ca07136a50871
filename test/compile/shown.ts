import { BoundName, type Sql } from '../../src/base/sql.ts'

/** SQL with the bound values written into the text: `panel IN {[3,7]:Array(UInt32)}`. */
export const shown = (query: Sql): string =>
  query.parts.map((part) => (typeof part === 'string' ? part : `{${textOf(part.value)}:${part.type}}`)).join('')

/** A long list of numbers, such as a table of quantiles, is shortened. */
function textOf(value: unknown): string {
  if (value instanceof BoundName) return value.text
  if (!Array.isArray(value) || value.length < 100 || !value.every(Number.isFinite)) return JSON.stringify(value)
  return `[${value.slice(0, 3).join(',')},…,${value.at(-1)}]`
}

/** The conditions of the first WHERE, in order. */
export function conditionsOf(text: string): string[] {
  const [, where = ''] = /\nWHERE ([^]*?)(?=\n(?:GROUP BY|ORDER BY|LIMIT|\)|SETTINGS)|$)/.exec(text) ?? []
  return where.split('\n  AND ')
}
