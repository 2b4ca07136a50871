import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changeSubscription } from '../../src/engine/postgres/operator/panels.ts'
import { csv, ndjson, openIngestWorld, ping, reportOf, type IngestWorld, type Row } from './ingest-world.ts'

let ingest: IngestWorld

beforeAll(async () => {
  ingest = await openIngestWorld()
})
afterAll(() => ingest.world.close())

const asCsv = { headers: { 'content-type': 'text/csv' } }
const fromNow = (milliseconds: number) => new Date(Date.now() + milliseconds).toISOString()
const day = 86_400_000

type Rejected = { reason: string; column: string }

/**
 * Sends one row together with a valid row, and checks that only the valid row is stored. Returns the rejection of the
 * other row.
 */
async function rejection(line: string, header?: string): Promise<Rejected & { raw: unknown; agent_id: unknown }> {
  const before = (await ingest.stored('ping')).length
  const good = ping({ dtime: nextTime() })
  const names = header ?? Object.keys(good).join(',')
  const body =
    header === undefined ? `${line}\n${ndjson([good])}` : `${names}\n${line}\n${csv([good]).split('\n')[1]}\n`
  const { batch, ...report } = reportOf(await ingest.post('ping', body, header === undefined ? {} : asCsv))
  const logged = (await ingest.rejected()).filter((row) => row['batch'] === batch)
  const [{ reason, column, raw, agent_id: agentId } = {}] = logged
  expect(report).toEqual({
    accepted: 1,
    duplicates: 0,
    rejected: 1,
    rejections: [{ reason, column, rows: 1, kept_rows: 1, first_row: 1 }],
  })
  expect(logged).toMatchObject([{ organisation: ingest.organisationId, test: 'ping', row: 1, source: '' }])
  expect((await ingest.stored('ping')).length).toBe(before + 1)
  return { reason: String(reason), column: String(column), raw, agent_id: agentId }
}

let second = 0
const nextTime = () => new Date(Date.UTC(2026, 0, 1) + (second += 1) * 1000).toISOString()
const json = (row: Row) => JSON.stringify(ping(row))
const without = (name: string) =>
  JSON.stringify(Object.fromEntries(Object.entries(ping()).filter(([key]) => key !== name)))

describe('NDJSON', () => {
  it.each<[string, string, string, () => string]>([
    ['text that is no JSON', 'malformed_row', '', () => 'nonsense'],
    ['half an object', 'malformed_row', '', () => json({}).slice(0, -5)],
    ['two objects on a line', 'malformed_row', '', () => `${json({})}${json({})}`],
    ['a list', 'malformed_row', '', () => `[${json({})}]`],
    ['an empty object', 'malformed_row', '', () => '{}'],
    ['a name twice', 'malformed_row', '', () => json({}).replace('{', '{"rtt_avg":1,')],
    ['half of a surrogate pair', 'malformed_row', '', () => json({ target: 'X' }).replace('"X"', String.raw`"\ud800"`)],
    [
      'a number beyond 64 bits',
      'malformed_row',
      '',
      () => json({ rtt_avg: 0 }).replace('"rtt_avg":0', '"rtt_avg":18446744073709551616'),
    ],
    ['a column the test does not have', 'unexpected_column', 'rtt', () => json({ rtt: 5 })],
    ['a name in another case', 'unexpected_column', 'Target', () => json({ Target: 'x' })],
    ['no agent', 'missing_value', 'agent_id', () => without('agent_id')],
    ['an empty agent', 'missing_value', 'agent_id', () => json({ agent_id: '' })],
    ['no time', 'missing_value', 'dtime', () => without('dtime')],
    ['no value that is required', 'missing_value', 'successes', () => without('successes')],
    ['null where a value is required', 'missing_value', 'failures', () => json({ failures: null })],
    ['an empty text where one is required', 'missing_value', 'target', () => json({ target: '' })],
    ['a text for a number', 'wrong_type', 'rtt_avg', () => json({ rtt_avg: 'fast' })],
    ['a fraction', 'wrong_type', 'rtt_avg', () => json({ rtt_avg: 1.5 })],
    ['a truth value for a number', 'wrong_type', 'rtt_avg', () => json({ rtt_avg: true })],
    ['a negative count', 'wrong_type', 'successes', () => json({ successes: -1 })],
    ['a count beyond 32 bits', 'wrong_type', 'successes', () => json({ successes: 4_294_967_296 })],
    [
      'a number beyond 63 bits',
      'wrong_type',
      'rtt_avg',
      () => json({ rtt_avg: 0 }).replace('"rtt_avg":0', '"rtt_avg":9223372036854775808'),
    ],
    ['an object for a text', 'wrong_type', 'target', () => json({ target: { host: 'x' } })],
    ['an object for a time', 'wrong_type', 'dtime', () => json({ dtime: {} })],
    ['a list for an agent', 'wrong_type', 'agent_id', () => json({ agent_id: ['wb-1'] })],
    ['a list for a number', 'wrong_type', 'rtt_avg', () => json({ rtt_avg: [1] })],
    ['a text of more than two thousand bytes', 'too_long', 'target', () => json({ target: 'x'.repeat(2_049) })],
    ['fewer letters of more bytes', 'too_long', 'target', () => json({ target: 'é'.repeat(1_025) })],
    ['a text of megabytes', 'too_long', 'target', () => json({ target: 'x'.repeat(5_000_000) })],
    ['a day that does not exist', 'impossible_time', 'dtime', () => json({ dtime: '2026-02-30 10:00:00' })],
    ['29 February of another year', 'impossible_time', 'dtime', () => json({ dtime: '2025-02-29 10:00:00' })],
    ['hour 24', 'impossible_time', 'dtime', () => json({ dtime: '2026-02-20 24:00:00' })],
    ['second 60', 'impossible_time', 'dtime', () => json({ dtime: '2026-02-20T10:00:60Z' })],
    ['a day without a time', 'impossible_time', 'dtime', () => json({ dtime: '2026-02-20' })],
    ['seconds since 1970', 'impossible_time', 'dtime', () => json({ dtime: 1_767_225_600 })],
    ['an offset that does not exist', 'impossible_time', 'dtime', () => json({ dtime: '2026-02-20T10:00:00+15:00' })],
    ['a clock that was never set', 'impossible_time', 'dtime', () => json({ dtime: '1970-01-01 00:00:05' })],
    [
      'the last moment of the last century',
      'impossible_time',
      'dtime',
      () => json({ dtime: '1999-12-31T23:59:59.999Z' }),
    ],
    ['more than a day ahead', 'future_time', 'dtime', () => json({ dtime: fromNow(day + 60_000) })],
    ['an unknown agent', 'unknown_agent', 'agent_id', () => json({ agent_id: 'nobody' })],
    ['an agent of another organisation', 'unknown_agent', 'agent_id', () => json({ agent_id: 'foreign-1' })],
    ['an agent with a letter beside its own', 'unknown_agent', 'agent_id', () => json({ agent_id: 'Жwb-1' })],
    ['an agent with an accent', 'unknown_agent', 'agent_id', () => json({ agent_id: 'wb\u0301-1' })],
    ['an agent with a digit of another script', 'unknown_agent', 'agent_id', () => json({ agent_id: 'wb-1٣' })],
    ['an agent without a letter or digit', 'unknown_agent', 'agent_id', () => json({ agent_id: '--' })],
  ])('rejects %s', async (_what, reason, column, line) => {
    const sent = line()
    expect(await rejection(sent)).toMatchObject({ reason, column, raw: sent })
  })

  it('rejects an agent of a panel that is only subscribed to: a subscriber can read but not store', async () => {
    const subscribe = (subscribed: boolean) =>
      ingest.world.operate((operator) =>
        changeSubscription(operator, { panel: 'theirs', organisation: 'acme', subscribed }),
      )
    await subscribe(true)
    try {
      const rejected = await rejection(json({ agent_id: 'foreign-1' }))
      expect(rejected).toMatchObject({ reason: 'unknown_agent', column: 'agent_id' })
    } finally {
      await subscribe(false)
    }
  })

  it('reports of several faults the one that the sender can fix', async () => {
    expect(await rejection(json({ agent_id: 'nobody', rtt_avg: 'x' }))).toMatchObject({ reason: 'wrong_type' })
  })
})

describe('CSV', () => {
  const header = Object.keys(ping()).join(',')
  const cells = (row: Row) => csv([ping(row)]).split('\n')[1] ?? ''
  it.each<[string, string, string, () => string]>([
    ['too few cells', 'malformed_row', '', () => 'wb-1,2026-01-05 10:00:00'],
    ['too many cells', 'malformed_row', '', () => `${cells({})},1`],
    ['an empty line among the rows', 'malformed_row', '', () => ''],
    ['an empty cell that is required', 'missing_value', 'target', () => cells({ target: '' })],
    ['a fraction', 'wrong_type', 'rtt_avg', () => cells({ rtt_avg: '12.0' })],
    ['an exponent', 'wrong_type', 'rtt_avg', () => cells({ rtt_avg: '1e3' })],
    ['a number with a space', 'wrong_type', 'rtt_avg', () => cells({ rtt_avg: '1 000' })],
    ['a text of more than two thousand bytes', 'too_long', 'target', () => cells({ target: 'x'.repeat(2_049) })],
    ['a day that does not exist', 'impossible_time', 'dtime', () => cells({ dtime: '2026-04-31 00:00:00' })],
    ['more than a day ahead', 'future_time', 'dtime', () => cells({ dtime: fromNow(day + 60_000) })],
    ['an unknown agent', 'unknown_agent', 'agent_id', () => cells({ agent_id: 'nobody' })],
  ])('rejects %s', async (_what, reason, column, line) => {
    expect(await rejection(line(), header)).toMatchObject({ reason, column })
  })

  it('keeps the cells of a rejected row by name', async () => {
    const { raw } = await rejection(cells({ agent_id: 'nobody', target: 'a "b", c' }), header)
    expect(JSON.parse(String(raw))).toMatchObject({ agent_id: 'nobody', target: 'a "b", c', rtt_avg: '12000' })
  })

  it('rejects a row whose text is not UTF-8, and keeps the others', async () => {
    const [names, row] = csv([ping({ target: 'X', dtime: nextTime() })]).split('\n')
    const bad = Buffer.from(`${row}\n`, 'latin1')
    bad[bad.indexOf('X')] = 0xff
    const body = Buffer.concat([Buffer.from(`${names}\n${csv([ping({ dtime: nextTime() })]).split('\n')[1]}\n`), bad])
    const report = reportOf(await ingest.post('ping', new Uint8Array(body), asCsv))
    expect(report).toMatchObject({ accepted: 1, rejected: 1, rejections: [{ reason: 'malformed_row', first_row: 2 }] })
  })
})

describe('times', () => {
  it.each([
    ['2026-02-20 10:00:00', '2026-02-20 10:00:00.000'],
    ['2026-02-20 10:00:00.5', '2026-02-20 10:00:00.500'],
    ['2026-02-20T10:00:01', '2026-02-20 10:00:01.000'],
    ['2026-02-20T10:00:02Z', '2026-02-20 10:00:02.000'],
    ['2026-02-20T10:00:03.123456789Z', '2026-02-20 10:00:03.123'],
    ['2026-02-20T10:00:04+05:30', '2026-02-20 04:30:04.000'],
    ['2026-02-20 01:00:05.999-03:30', '2026-02-20 04:30:05.999'],
    ['2024-02-29T23:59:59.999Z', '2024-02-29 23:59:59.999'],
    ['2000-01-01 00:00:00', '2000-01-01 00:00:00.000'],
  ])('accepts %s as %s', async (sent, kept) => {
    const target = `time ${sent}`
    expect(reportOf(await ingest.post('ping', ndjson([ping({ dtime: sent, target })])))).toMatchObject({ accepted: 1 })
    const rows = (await ingest.stored('ping')).filter((row) => row['target'] === target)
    expect(rows.map((row) => row['dtime'])).toEqual([kept])
  })

  it('accepts a result of just under a day ahead: clocks of agents are not exact', async () => {
    const ahead = ping({ dtime: fromNow(day - 60_000), target: 'ahead' })
    expect(reportOf(await ingest.post('ping', ndjson([ahead])))).toMatchObject({ accepted: 1, rejected: 0 })
  })
})

it('accepts an agent by its id with punctuation of any script', async () => {
  const row = ping({ dtime: nextTime(), agent_id: '«WB–1»' })
  expect(reportOf(await ingest.post('ping', ndjson([row])))).toMatchObject({ accepted: 1, rejected: 0 })
})

it('counts repeated rows separately, keeps the first of them, and does not lose the others', async () => {
  const dtime = nextTime()
  const rows = [1, 2, 3].map((rtt) => ping({ dtime, rtt_avg: rtt, target: 'thrice' }))
  const report = reportOf(await ingest.post('ping', ndjson([...rows, ping({ dtime, target: 'once' })])))
  expect(report).toMatchObject({
    accepted: 2,
    duplicates: 2,
    rejected: 0,
    rejections: [{ reason: 'duplicate_row', column: '', rows: 2, first_row: 2 }],
  })
  const kept = (await ingest.stored('ping')).filter((row) => row['target'] === 'thrice')
  expect(kept.map((row) => row['rtt_avg'])).toEqual([1])
  const logged = (await ingest.rejected()).filter((row) => row['batch'] === report.batch)
  expect(logged.map((row) => (JSON.parse(String(row['raw'])) as Row)['rtt_avg'])).toEqual([2, 3])
})

it('treats rows as equal that differ only in empty and missing', async () => {
  const dtime = nextTime()
  const rows = [{ threads: null }, {}, { threads: 4 }].map((more) => ({
    ...ping({ dtime }),
    rtt_avg: undefined,
    target: 'nulls',
    ...more,
  }))
  expect(reportOf(await ingest.post('httpget', ndjson(rows)))).toMatchObject({ accepted: 2, duplicates: 1 })
})

it('ignores columns that follow from the agent and the time, so that a record can be sent back', async () => {
  const record = { base: 'another model', ddate: '1999-01-01', ...ping({ dtime: nextTime() }), unit_id: 77 }
  expect(reportOf(await ingest.post('ping', ndjson([record])))).toMatchObject({ accepted: 1, rejected: 0 })
  const other = { ...record, dtime: nextTime() }
  expect(reportOf(await ingest.post('ping', csv([other]), asCsv))).toMatchObject({ accepted: 1, rejected: 0 })
})

it('accepts a text of 2,048 bytes', async () => {
  const rows = ['x'.repeat(2_048), 'é'.repeat(1_024)].map((target) => ping({ target, dtime: nextTime() }))
  expect(reportOf(await ingest.post('ping', ndjson(rows)))).toMatchObject({ accepted: 2, rejected: 0 })
  const others = rows.map((row) => ({ ...row, dtime: nextTime() }))
  expect(reportOf(await ingest.post('ping', csv(others), asCsv))).toMatchObject({ accepted: 2, rejected: 0 })
})

it('rejects a text that is too long in every text column, also if the rows are staged first', async () => {
  const long = 'x'.repeat(2_049)
  const good = { agent_id: 'wb-1', dtime: nextTime(), target: 'n1', successes: 1, failures: 0 }
  const names = ['target', 'address', 'target_group']
  // The last row repeats the row before it. The service detects the duplicate only in its second check, after it has
  // staged the rows.
  const rows = [...names.map((name) => ({ ...good, [name]: long })), good, good]
  const report = reportOf(await ingest.post('httpget', ndjson(rows)))
  expect(report).toMatchObject({ accepted: 1, duplicates: 1, rejected: 3 })
  const tooLong = report.rejections.filter(({ reason }) => reason === 'too_long')
  expect(tooLong.map(({ column, first_row: row }) => [column, row])).toEqual([
    ['address', 2],
    ['target', 1],
    ['target_group', 3],
  ])
  expect((await ingest.stored('httpget')).filter((row) => row['target'] === long)).toEqual([])
})

it('treats a text that begins like an object or a list as text', async () => {
  const rows = ['{host}', '[::1]'].map((target) => ping({ target, dtime: nextTime() }))
  expect(reportOf(await ingest.post('ping', ndjson(rows)))).toMatchObject({ accepted: 2, rejected: 0 })
})

it('finds an agent whatever the punctuation and case of its id', async () => {
  const rows = ['WB1', 'wb_1', ' w.b:1 '].map((agentId) => ping({ agent_id: agentId, dtime: nextTime() }))
  expect(reportOf(await ingest.post('ping', ndjson(rows)))).toMatchObject({ accepted: 3, rejected: 0 })
  expect(reportOf(await ingest.post('ping', csv(rows), asCsv))).toMatchObject({ accepted: 3, rejected: 0 })
})
