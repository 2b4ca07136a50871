import type { Catalog } from '../../../catalog/catalog.ts'
import { orNull, record, reference, text, type RecordSchema, type Schema } from '../schema.ts'
import { filters } from './filter-schemas.ts'

const testDate = (which: string): Schema =>
  text(
    `${which}, in UTC. Forms: \`YYYY-MM-DD\`, \`YYYYMMDD\`, \`YYYY-MM\`, \`YYYY\`, \`+x days\`, \`-x days\`, \`last|next|this <day name>\`, \`now\`.`,
  )

/** The body of a request for stored results. `more` are the fields that files do not have. */
export const testDataRequest = ({ tests }: Catalog, more: Readonly<Record<string, Schema>> = {}): RecordSchema =>
  record(
    {
      test: text('A key of `GET /tests`.', { enum: tests.map(({ key }) => key) }),
      date: record({ from: testDate('First day'), to: testDate('Last day; the range includes it') }),
      panel: orNull(reference('PanelSelection')),
      filters,
      ...more,
    },
    { optional: ['panel', 'filters', ...Object.keys(more)] },
  )
