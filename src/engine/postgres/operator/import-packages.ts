import type { PackageRow } from '../../../check/package-row.ts'
import { bulkLoad, type BulkResult, type LoadedLine } from './bulk-load.ts'
import type { Operator } from './operator.ts'

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
      { text: update, values: [] },
      { text: insert, values: [] },
    ],
    onProgress,
  })

const newIsps = `
  INSERT INTO isps (name) SELECT DISTINCT isp FROM incoming WHERE isp NOT IN (SELECT name FROM isps) ORDER BY isp`

const repeatedPackage = `
  SELECT line, 'package: also on line ' || first_line AS fault
  FROM (SELECT line, min(line) OVER (PARTITION BY isp, package) AS first_line FROM incoming) i
  WHERE line <> first_line ORDER BY line LIMIT 20`

const update = `
  UPDATE packages SET download_bits_sec = incoming.download_bits_sec, upload_bits_sec = incoming.upload_bits_sec
  FROM incoming JOIN isps ON isps.name = incoming.isp
  WHERE packages.isp_id = isps.id AND packages.name = incoming.package`

const insert = `
  WITH created AS (
    INSERT INTO packages (isp_id, name, download_bits_sec, upload_bits_sec)
    SELECT isps.id, package, download_bits_sec, upload_bits_sec FROM incoming JOIN isps ON isps.name = incoming.isp
    WHERE NOT EXISTS (SELECT FROM packages WHERE packages.isp_id = isps.id AND packages.name = incoming.package)
    ORDER BY line
    RETURNING id
  )
  SELECT (SELECT count(*) FROM created)::integer AS created,
    ((SELECT count(*) FROM incoming) - (SELECT count(*) FROM created))::integer AS changed`
