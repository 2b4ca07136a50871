import { statement, type Sql } from '../../base/sql.ts'
import { speaking, type ClickHouse } from './clickhouse.ts'

/** The rows of a selection, all of them in memory. */
export async function findSelected<Row>({ nodes: [node] }: ClickHouse, selection: Sql): Promise<Row[]> {
  const { text, params } = statement(selection)
  return speaking(async () => {
    const result = await node?.query({ query: text, query_params: { ...params }, format: 'JSONEachRow' })
    return (await result?.json<Row>()) ?? []
  })
}
