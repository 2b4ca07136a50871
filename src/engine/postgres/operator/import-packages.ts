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
    writes: [
      {
        text: 'INSERT INTO isps (name) SELECT DISTINCT isp FROM incoming ORDER BY isp ON CONFLICT DO NOTHING',
        values: [],
      },
      { text: upsert, values: [] },
    ],
    onProgress,
  })

const repeatedPackage = `
  SELECT line, 'package: also on line ' || first_line AS fault
  FROM (SELECT line, min(line) OVER (PARTITION BY isp, package) AS first_line FROM incoming) i
  WHERE line <> first_line ORDER BY line LIMIT 20`

const upsert = `
  WITH written AS (
    INSERT INTO packages (isp_id, name, download_bits_sec, upload_bits_sec)
    SELECT isps.id, package, download_bits_sec, upload_bits_sec
    FROM incoming JOIN isps ON isps.name = incoming.isp ORDER BY line
    ON CONFLICT (isp_id, name) DO UPDATE
      SET download_bits_sec = excluded.download_bits_sec, upload_bits_sec = excluded.upload_bits_sec
    RETURNING xmax = 0 AS created
  )
  SELECT (count(*) FILTER (WHERE created))::integer AS created, (count(*) FILTER (WHERE NOT created))::integer AS changed
  FROM written`
