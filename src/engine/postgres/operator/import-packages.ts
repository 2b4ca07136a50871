import type { PackageRow } from '../../../check/rows/package-row.ts'
import { bulkLoad, type BulkResult, type LoadedLine } from './bulk-load.ts'
import { operate, type Operator } from './operator.ts'

/** Adds ISPs and packages to the catalogue all organisations share. A package that is there takes the file's speeds. */
export const importPackages = (
  operator: Operator,
  lines: AsyncIterable<LoadedLine<PackageRow>>,
  onProgress: (lines: number) => void,
): Promise<BulkResult> =>
  bulkLoad<PackageRow>(operator, lines, {
    columns: { isp: 'text', package: 'text', download_bits_sec: 'bigint', upload_bits_sec: 'bigint' },
    faults: [{ text: repeatedPackage, values: [] }],
    before: [{ text: 'LOCK TABLE packages, isps IN SHARE ROW EXCLUSIVE MODE', values: [] }],
    writes: [
      { text: newIsps, values: [] },
      { text: write, values: [] },
    ],
    onProgress,
  })

const newIsps = `
  INSERT INTO isps (name) SELECT DISTINCT isp FROM incoming WHERE isp NOT IN (SELECT name FROM isps) ORDER BY isp`

const repeatedPackage = `
  SELECT line, 'package: also on line ' || first_line AS fault
  FROM (SELECT line, min(line) OVER (PARTITION BY isp, package) AS first_line FROM incoming) i
  WHERE line <> first_line ORDER BY line LIMIT 20`

/** Only what differs is written. No package is in both: one statement sees what was there before it. */
const write = `
  WITH given AS (SELECT incoming.*, isps.id AS isp_id FROM incoming JOIN isps ON isps.name = incoming.isp),
  changed AS (
    UPDATE packages SET download_bits_sec = given.download_bits_sec, upload_bits_sec = given.upload_bits_sec
    FROM given WHERE packages.isp_id = given.isp_id AND packages.name = given.package
      AND (packages.download_bits_sec, packages.upload_bits_sec)
        IS DISTINCT FROM (given.download_bits_sec, given.upload_bits_sec)
    RETURNING packages.id
  ), created AS (
    INSERT INTO packages (isp_id, name, download_bits_sec, upload_bits_sec)
    SELECT isp_id, package, download_bits_sec, upload_bits_sec FROM given
    WHERE NOT EXISTS (SELECT FROM packages WHERE packages.isp_id = given.isp_id AND packages.name = given.package)
    ORDER BY line
    RETURNING id
  )
  SELECT (SELECT count(*) FROM created)::integer AS created, (SELECT count(*) FROM changed)::integer AS changed`

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
