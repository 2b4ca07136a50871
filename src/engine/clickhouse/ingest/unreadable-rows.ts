import { SpokenError } from '../../../base/fault.ts'

/** Where one row ends and the next begins cannot be told, so none of the batch is stored. */
export class UnreadableRows extends SpokenError {
  static from(error: unknown): UnreadableRows | null {
    if (!(error instanceof Error) || !('code' in error) || !parseErrorCodes.has(String(error.code))) return null
    const row = /\(at row (\d+)\)/.exec(error.message)?.[1]
    return new UnreadableRows(`The rows cannot be told apart${row === undefined ? '' : ` (near row ${row})`}.`, error)
  }
}

/** Of text formats: an assertion failed, incorrect data, data ends too early, a quote, an escape sequence, a text. */
const parseErrorCodes = new Set(['27', '117', '33', '26', '25', '6'])
