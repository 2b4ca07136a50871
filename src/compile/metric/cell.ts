import type { Sql } from '../../base/sql.ts'
import type { DimensionSource } from '../../catalog/dimensions.ts'

/** What a column of an answer holds: text that people have chosen, a computed number, or anything else. */
export type Content = 'text' | 'number' | 'label'

/** How a value is written in one cell of an answer. */
export type Cell = (content: Content, value: Sql) => Sql

/** As the engine has it; JSON takes care of itself. */
export const asStored: Cell = (_content, value) => value

export const contentOf = (source: DimensionSource): Content =>
  source.kind === 'column' && source.number ? 'label' : 'text'
