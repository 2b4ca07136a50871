import type { PackageRow } from '../../../check/rows/package-row.ts'
import { bulkLoad, type BulkResult, type LoadedLine } from './bulk-load.ts'
import { operate, type Operator } from './operator.ts'

/**
 * Adds ISPs and packages, which all organisations share. Speeds that differ hold from `fromDay` on (`YYYY-MM-DD`, UTC; default
 * today), also over later days. The first speeds of a package hold from the beginning. With `keep`, packages that have speeds
 * keep them.
 */
export const importPackages = (
  operator: Operator,
  lines: AsyncIterable<LoadedLine<PackageRow>>,
  onProgress: (lines: number) => void,
  fromDay: string | null = null,
  knownSpeeds: 'keep' | 'replace' = 'replace',
): Promise<BulkResult> =>
  bulkLoad<PackageRow>(operator, lines, {
    columns: { isp: 'text', package: 'text', download_bits_sec: 'bigint', upload_bits_sec: 'bigint' },
    faults: [{ text: repeatedPackage, values: [] }],
    before: [{ text: 'LOCK TABLE packages, isps, package_speeds IN SHARE ROW EXCLUSIVE MODE', values: [] }],
    writes: [
      { text: newIsps, values: [] },
      { text: write, values: [fromDay, knownSpeeds === 'replace'] },
    ],
    onProgress,
  })

const newIsps = `
  INSERT INTO isps (name) SELECT DISTINCT isp FROM incoming WHERE isp NOT IN (SELECT name FROM isps) ORDER BY isp`

const repeatedPackage = `
  SELECT line, 'package: also on line ' || first_line AS fault
  FROM (SELECT line, min(line) OVER (PARTITION BY isp, package) AS first_line FROM incoming) i
  WHERE line <> first_line ORDER BY line LIMIT 20`

/**
 * Adds speeds only to packages whose speeds differ on a day from the given day on. No package is both changed and created,
 * because all parts of a statement see the same snapshot.
 */
const write = `
  WITH given AS (
    SELECT incoming.*, isps.id AS isp_id, packages.id AS package_id,
      coalesce($1::date, (now() AT TIME ZONE 'UTC')::date) AS from_day
    FROM incoming JOIN isps ON isps.name = incoming.isp
      LEFT JOIN packages ON packages.isp_id = isps.id AND packages.name = incoming.package
  ), created AS (
    INSERT INTO packages (isp_id, name) SELECT isp_id, package FROM given WHERE package_id IS NULL ORDER BY line
    RETURNING id, isp_id, name
  ), changed AS (
    INSERT INTO package_speeds (package_id, from_day, download_bits_sec, upload_bits_sec)
    SELECT package_id, from_day, download_bits_sec, upload_bits_sec FROM given
    WHERE $2::boolean AND package_id IN (SELECT package_id FROM package_speeds) AND EXISTS (
      SELECT FROM package_speed_history AS past
      WHERE past.package_id = given.package_id AND (until_day IS NULL OR until_day > greatest(past.from_day, given.from_day))
        AND (past.download_bits_sec, past.upload_bits_sec) IS DISTINCT FROM (given.download_bits_sec, given.upload_bits_sec)
    )
    ORDER BY line
    RETURNING package_id
  ), first_speeds AS (
    INSERT INTO package_speeds (package_id, from_day, download_bits_sec, upload_bits_sec)
    SELECT coalesce(package_id, created.id), '1970-01-01', download_bits_sec, upload_bits_sec
    FROM given LEFT JOIN created ON created.isp_id = given.isp_id AND created.name = given.package
    WHERE coalesce(download_bits_sec, upload_bits_sec) IS NOT NULL
      AND (package_id IS NULL OR package_id NOT IN (SELECT package_id FROM package_speeds))
    ORDER BY line
    RETURNING package_id
  )
  SELECT (SELECT count(*) FROM created)::integer AS created,
    (SELECT count(*) FROM changed)::integer
      + (SELECT count(*) FROM first_speeds WHERE package_id NOT IN (SELECT id FROM created))::integer AS changed`

type Speeds = { download_mbps: number | null; upload_mbps: number | null }

const inMegabits = `download_bits_sec / 1e6::float8 AS download_mbps, upload_bits_sec / 1e6::float8 AS upload_mbps`

export type PackageRecord = { id: number; isp: string; package: string } & Speeds

export const findPackages = (operator: Operator, isp: string | null): Promise<PackageRecord[]> =>
  operate<PackageRecord>(
    operator,
    `SELECT p.id, i.name AS isp, p.name AS package, ${inMegabits}
     FROM current_packages p JOIN isps i ON i.id = p.isp_id
     WHERE $1::text IS NULL OR i.name = $1 ORDER BY i.name, p.name`,
    [isp],
  )

/** One recorded change of the speeds of a package, and the days on which these speeds hold. */
export type SpeedRecord = {
  isp: string
  package: string
  from_day: string
  /** Null if the speeds still hold. */
  to_day: string | null
  /** True if later records replace these speeds on every day. */
  replaced: boolean
  recorded_at: Date
} & Speeds

export const findSpeedHistory = (
  operator: Operator,
  named: { isp: string; package: string | null },
): Promise<SpeedRecord[]> =>
  operate<SpeedRecord>(
    operator,
    `SELECT i.name AS isp, p.name AS package, from_day::text AS from_day,
       CASE WHEN from_day < until_day THEN (until_day - 1)::text END AS to_day,
       ${inMegabits}, coalesce(until_day <= from_day, false) AS replaced, recorded_at
     FROM package_speed_history h JOIN packages p ON p.id = h.package_id JOIN isps i ON i.id = p.isp_id
     WHERE i.name = $1 AND ($2::text IS NULL OR p.name = $2)
     ORDER BY i.name, p.name, h.id`,
    [named.isp, named.package],
  )
