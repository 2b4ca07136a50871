import { exportFormats, type ExportFormat } from '../../catalog/export-formats.ts'
import { isAbsent, isObject, type FieldFaults } from '../field-faults.ts'

/** `format` of a request for an export, and the rest, which is a request of the JSON endpoint. */
export type SplitRequest = { readonly format: ExportFormat; readonly request: unknown }

export function checkExportFormat(body: unknown, faults: FieldFaults): SplitRequest {
  const [csv] = exportFormats
  if (csv === undefined) throw new Error('there are no export formats')
  if (!isObject(body)) return { format: csv, request: body }
  const { format: key, ...request } = body
  const format = isAbsent(key) ? csv : exportFormats.find((one) => one.key === key)
  if (format === undefined) faults.addChoice('format', key, () => exportFormats.map((one) => one.key))
  return { format: format ?? csv, request }
}
