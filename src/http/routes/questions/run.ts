import { addAbortSignal, type Readable } from 'node:stream'
import type { Caller } from '../../../base/caller.ts'
import { Fault } from '../../../base/fault.ts'
import { questionLimits, type QuestionContent } from '../../../check/question/content.ts'
import { json } from '../../../catalog/response-formats.ts'
import { FieldFaults } from '../../../check/field-faults.ts'
import { applyQuery } from '../../../check/question/run-query.ts'
import { addRelocated } from '../../../check/question/relocated-faults.ts'
import { checkFormatOf } from '../../../check/response-format.ts'
import type { Question } from '../../../engine/postgres/questions/questions.ts'
import type { Formatted } from '../../../envelope/formats/formatted.ts'
import type { Streamed } from '../../../envelope/streamed.ts'
import type { Handle } from '../../define-route.ts'
import { answerMetricData } from '../../metric-answer.ts'
import { foundQuestion } from './read.ts'

/**
 * Runs a question with the rights of the caller. The answer is complete before its first byte is sent and has a
 * `Content-Length`, because spreadsheets do not notice a broken one.
 */
export const runQuestion: Handle = async (context, caller, given) => {
  const { query, headers } = given
  const question = await foundQuestion(caller, context.stores.postgres, given)
  const { request, place } = applyQuery(question, query)
  const asked = query['format'] === undefined ? {} : { format: query['format'] }
  const { format } = checkFormatOf(undefined, asked, headers['accept'])
  try {
    return await wholeAnswer(context, caller, given, { format, request, audited: auditedQuestion(question, request) })
  } catch (error) {
    const faults = new FieldFaults()
    addRelocated(error, place, faults)
    faults.throwIfAny()
    throw error
  }
}

/** The audit trail records the request as it runs, because the question can be changed or deleted. */
export const auditedQuestion = ({ key, version }: Question, request: QuestionContent['request']): object => ({
  question: key,
  version,
  request,
})

/** Answers a request completely before the first byte is sent. The audit trail records `audited`. */
export async function wholeAnswer(
  context: Parameters<Handle>[0],
  caller: Caller,
  { admission, deadline }: Pick<Parameters<Handle>[2], 'admission' | 'deadline'>,
  { audited, ...asked }: Parameters<typeof answerMetricData>[3] & { readonly audited: object },
): Promise<Awaited<ReturnType<typeof answerMetricData>>> {
  const beginQuery: typeof admission.beginQuery = (subject) => admission.beginQuery({ ...subject, audited })
  const answer = await answerMetricData(context, caller, { admission: { ...admission, beginQuery } }, asked)
  return 'rows' in answer ? whole(answer, deadline.signal) : answer
}

/** Reads all rows of a stream. Throws a 422 if they do not fit into the memory for one answer. */
async function whole(
  { before, rows, after, headers = {} }: Streamed<Readable>,
  signal: AbortSignal,
): Promise<Formatted> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of addAbortSignal(signal, rows) as AsyncIterable<Uint8Array>) {
    parts.push(part)
    bytes += part.length
    // Leaving the loop destroys the stream, which stops the query.
    if (bytes > questionLimits.rawBytesMax) throw tooLong()
  }
  const content = Buffer.concat([Buffer.from(before), ...parts, Buffer.from(after)])
  return { content, headers: { 'content-type': json.contentType, ...headers } }
}

const tooLong = (): Fault =>
  new Fault('QUERY_TOO_LARGE', {
    message: `The raw points of a question may have ${questionLimits.rawBytesMax} bytes; narrow its time range or filters, or export them with POST /metric_data.csv.`,
    detail: 'the raw points of a question',
  })
