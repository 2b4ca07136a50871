import { limits } from '../../../base/limits.ts'
import { compilePattern, findMatching, type MatchQuestion } from '../../../compile/values/matching-values.ts'
import type { ClickHouse } from '../clickhouse.ts'
import { nextNode } from '../next-node.ts'
import { findIn } from '../query/ask.ts'

const cannotCompile = '427'

/**
 * Returns for each question the positions, counted from 0, of the candidates that match. Returns null if ClickHouse cannot
 * compile a pattern of a question.
 */
export async function findMatches(
  clickhouse: ClickHouse,
  questions: readonly MatchQuestion[],
): Promise<readonly (readonly number[])[] | null> {
  const signal = AbortSignal.timeout(limits.lookupTimeoutMs)
  try {
    const question = findMatching(clickhouse.database, questions)
    const [row] = await findIn<{ found: number[][] }>(nextNode(clickhouse), question, { signal })
    return (row?.found ?? []).map((positions) => positions.map((position) => position - 1))
  } catch (error) {
    if (isAboutPattern(error)) return null
    throw error
  }
}

/** Returns the message of RE2 if ClickHouse cannot compile the pattern; otherwise null. */
export async function findPatternFault(clickhouse: ClickHouse, pattern: string): Promise<string | null> {
  const signal = AbortSignal.timeout(limits.lookupTimeoutMs)
  try {
    await findIn(nextNode(clickhouse), compilePattern(pattern), { signal })
    return null
  } catch (error) {
    if (!isAboutPattern(error)) throw error
    const start = `cannot compile re2: ${pattern}, error: `
    const at = error.message.indexOf(start)
    const [message] = at < 0 ? [] : error.message.slice(at + start.length).split('. Look at ')
    return message ?? 'the pattern is not valid'
  }
}

const isAboutPattern = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && String(error.code) === cannotCompile
