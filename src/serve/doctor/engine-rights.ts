import { catalog } from '../../catalog/catalog.ts'
import { rollupTable } from '../../compile/rollup/rollup-table.ts'
import { factValues } from '../../compile/values/value-tables.ts'
import { dictionaryGroups } from '../../engine/clickhouse/dictionaries/reload-dictionaries.ts'
import type { ClickHouseRole } from '../config.ts'

/**
 * The grants that a ClickHouse user needs, the grants that it must not have, and the settings that its profile must have. See
 * docs/operations.md.
 */
export type EngineRights = {
  readonly role: ClickHouseRole
  readonly needs: readonly string[]
  readonly mustNot: readonly string[]
  readonly settings: Readonly<Record<string, string>>
  /** Settings that the user must be able to send with a query, with a value to try. */
  readonly sends?: Readonly<Record<string, string>>
}

/** Grants on objects outside the service's database, `{db}`. */
const outside = [
  'SELECT ON system.users',
  'SELECT ON system.processes',
  'URL ON *.*',
  'FILE ON *.*',
  'REMOTE ON *.*',
  'POSTGRES ON *.*',
  'KILL QUERY ON *.*',
]
const changing = ['INSERT ON {db}.*', 'ALTER TABLE ON {db}.*', 'DROP TABLE ON {db}.*', 'CREATE TABLE ON {db}.*']
const tables = [...catalog.tests.map(({ key }) => key), factValues.name, rollupTable]
const lookingUp = 'dictGet ON {db}.*'
const reading = [...tables.map((table) => `SELECT ON {db}.${table}`), lookingUp]
const readOnly = { readonly: '1', cancel_http_readonly_queries_on_client_close: '1', replace_running_query: '1' }

export const engineRights: readonly EngineRights[] = [
  { role: 'QUERY', needs: reading, mustNot: [...outside, ...changing, 'S3 ON *.*'], settings: readOnly },
  {
    role: 'STREAM',
    needs: reading,
    mustNot: [...outside, ...changing, 'S3 ON *.*'],
    settings: {
      ...readOnly,
      output_format_json_array_of_rows: '1',
      format_csv_null_representation: '',
      output_format_csv_crlf_end_of_line: '1',
      output_format_arrow_compression_method: 'none',
    },
    sends: { output_format_json_array_of_rows: '0' },
  },
  {
    role: 'DICTIONARY',
    needs: [
      'SYSTEM RELOAD DICTIONARY ON *.*',
      'SHOW DICTIONARIES ON {db}.*',
      'SELECT(database, name, status) ON system.dictionaries',
    ],
    mustNot: [...outside, ...changing, ...reading],
    settings: {},
  },
  {
    role: 'INGEST',
    needs: [...reading, 'INSERT ON {db}.*'],
    mustNot: [...outside, ...changing.slice(1)],
    settings: {},
  },
  {
    role: 'EXPORT',
    needs: [
      ...reading,
      'NAMED COLLECTION ON broadgauge_exports',
      'CREATE TEMPORARY TABLE ON *.*',
      'SELECT(query_id, read_rows, total_rows_approx) ON system.processes',
    ],
    mustNot: [...outside, ...changing],
    settings: { replace_running_query: '1' },
  },
]

/**
 * The grants to select whole dictionaries. Row policies do not apply to dictionaries, so a user that may look up keys must not
 * have these grants.
 */
export const dictionaryReads: readonly string[] = Object.values(dictionaryGroups)
  .flat(2)
  .map((name) => `SELECT ON {db}.${name}`)

export const looksUp = ({ needs }: EngineRights): boolean => needs.includes(lookingUp)
