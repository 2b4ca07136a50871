export const packageColumns = ['isp', 'package', 'download_mbps', 'upload_mbps'] as const

export type PackageRow = {
  isp: string
  package: string
  download_bits_sec: number | null
  upload_bits_sec: number | null
}

/** Checks one line of the operator's list of packages. If the line is invalid, returns the fault as a string. */
export function checkPackageRow(record: Readonly<Record<string, string>>): PackageRow | string {
  const cell = (name: (typeof packageColumns)[number]): string => record[name]?.trim() ?? ''
  const isp = cell('isp')
  if (isp === '' || /[:\p{Cc}]/u.test(isp)) return 'isp: a name without a colon'
  if (cell('package') === '' || /\p{Cc}/u.test(cell('package'))) return 'package: a name'
  const download = bitsPerSecond(cell('download_mbps'))
  const upload = bitsPerSecond(cell('upload_mbps'))
  if (download === undefined) return 'download_mbps: a number above 0, or empty'
  if (upload === undefined) return 'upload_mbps: a number above 0, or empty'
  return { isp, package: cell('package'), download_bits_sec: download, upload_bits_sec: upload }
}

function bitsPerSecond(mbps: string): number | null | undefined {
  if (mbps === '') return null
  const bits = /^\d{1,7}(\.\d{1,6})?$/.test(mbps) ? Math.round(Number(mbps) * 1e6) : 0
  return bits > 0 ? bits : undefined
}
