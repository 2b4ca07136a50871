import { BoundName, type Sql } from '../../src/base/sql.ts'

/** SQL with its bound values in place: `panel IN {[3,7]:Array(UInt32)}`. */
export const shown = (query: Sql): string =>
  query.parts.map((part) => (typeof part === 'string' ? part : `{${textOf(part.value)}:${part.type}}`)).join('')

const textOf = (value: unknown): string => (value instanceof BoundName ? value.text : JSON.stringify(value))

/** The conditions of the first WHERE, in order. */
export function conditionsOf(text: string): string[] {
  const [, where = ''] = /\nWHERE ([^]*?)(?=\n(?:GROUP BY|ORDER BY|LIMIT|\)|SETTINGS)|$)/.exec(text) ?? []
  return where.split('\n  AND ')
}
