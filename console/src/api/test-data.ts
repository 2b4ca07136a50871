import type { Session } from './session.ts'
import { streamRows } from './stream-rows.ts'

export type TestDataRequest = {
  readonly test: string
  readonly date: { readonly from: string; readonly to: string }
  readonly panel?: readonly string[]
}

export type TestRecord = Readonly<Record<string, string | number | null>>

export const streamTestData = (
  session: Session,
  request: TestDataRequest,
  signal: AbortSignal,
): AsyncGenerator<TestRecord[]> =>
  streamRows<TestRecord>(session, { path: '/test_data', body: request, rowDepth: 3 }, signal)
