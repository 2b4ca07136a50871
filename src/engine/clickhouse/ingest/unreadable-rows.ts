import { UserFacingError } from '../../../base/fault.ts'

/** ClickHouse cannot determine where rows begin and end, so no row of the batch is stored. */
export class UnreadableRows extends UserFacingError {
  static from(error: unknown): UnreadableRows | null {
    if (!(error instanceof Error) || !('code' in error) || !parseErrorCodes.has(String(error.code))) return null
    const row = /\(at row (\d+)\)/.exec(error.message)?.[1]
    return new UnreadableRows(`The rows cannot be parsed${row === undefined ? '' : ` (near row ${row})`}.`, error)
  }
}

/**
 * ClickHouse's error codes for invalid text formats: assertion failed, incorrect data, unexpected end, and an invalid quote,
 * escape sequence or text.
 */
const parseErrorCodes = new Set(['27', '117', '33', '26', '25', '6'])
