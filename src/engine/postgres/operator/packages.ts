import { operate, type Operator } from './operator.ts'

export type PackageRecord = {
  id: number
  isp: string
  package: string
  download_bits_sec: string | null
  upload_bits_sec: string | null
}

export const findPackages = (operator: Operator, isp: string | null): Promise<PackageRecord[]> =>
  operate<PackageRecord>(
    operator,
    `SELECT p.id, i.name AS isp, p.name AS package, download_bits_sec, upload_bits_sec
     FROM packages p JOIN isps i ON i.id = p.isp_id
     WHERE $1::text IS NULL OR i.name = $1 ORDER BY i.name, p.name`,
    [isp],
  )
