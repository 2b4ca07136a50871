import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gunzipSync, gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { importAgents } from '../../src/engine/postgres/operator/import-agents.ts'
import { findSpeedHistory, importPackages } from '../../src/engine/postgres/operator/import-packages.ts'
import { createPanel } from '../../src/engine/postgres/operator/panels.ts'
import { createProgram } from '../../src/serve/program.ts'
import { call } from '../kit/call.ts'
import { asLines, token } from '../kit/panels.ts'
import { runSql } from '../kit/run-sql.ts'
import { openIngestWorld, type IngestWorld, type Row } from './ingest-world.ts'

let ingest: IngestWorld
let folder: string
let reader: string

beforeAll(async () => {
  ingest = await openIngestWorld()
  folder = await mkdtemp(join(tmpdir(), 'broadgauge-published-'))
  await ingest.world.operate((operator) => createPanel(operator, { key: 'mba', name: 'MBA', owner: 'acme' }))
  reader = `Bearer ${await token(ingest.world, 'acme', ['metadata:read', 'metadata:write'])}`
})
afterAll(async () => {
  await rm(folder, { recursive: true })
  await ingest.world.close()
})

type Report = {
  profile: { registered: number; changed: number } | null
  files: (Record<'accepted' | 'duplicates' | 'rejected' | 'partial' | 'newUnits', number> & { skipped: boolean })[]
  leftOut: string[]
  failures: string[]
  total: { accepted: number; rejected: number; rejections: { reason: string; rows: number }[] }
}

/** Runs the command in this process, with the arguments that an operator would give. */
async function run(...words: string[]): Promise<{ report: Report; exitCode: number; error: string }> {
  const { said, ...outcome } = await say('--json', ...words)
  return { report: JSON.parse(said || '{}') as Report, ...outcome }
}

const say = (...words: string[]) => sayOn('mba', ...words)

async function sayOn(panel: string, ...words: string[]): Promise<{ said: string; exitCode: number; error: string }> {
  let said = ''
  let exitCode = 0
  let error = ''
  const context = {
    environment: ingest.world.environment,
    write: (text: string) => (said += text),
    exitWith: (code: number) => (exitCode = code),
  }
  await createProgram(context)
    .exitOverride()
    .parseAsync(['import', 'fcc-mba', '--panel', panel, ...words], { from: 'user' })
    .catch((thrown: Error) => (error = thrown.message))
  return { said, exitCode, error }
}

const transferHeader =
  'unit_id,ddate,dtime,target,address,fetch_time,bytes_total,bytes_sec,bytes_sec_interval,warmup_time,warmup_bytes,sequence,threads,successes,failures'
const transfer = (unit: number | string, time: string, sequence: number | string, bytesSec: number, target = 'sp1') =>
  `${unit},${time.slice(0, 10)},${time},${target},192.0.2.1,5000000,${bytesSec * 5},${bytesSec},${bytesSec},3000000,1000,${sequence},8,1,0`

async function month(name: string, files: Record<string, string[] | Uint8Array>): Promise<string> {
  await mkdir(join(folder, name), { recursive: true })
  for (const [file, lines] of Object.entries(files)) {
    await writeFile(join(folder, name, file), lines instanceof Uint8Array ? lines : `${lines.join('\n')}\n`)
  }
  return join(folder, name)
}

async function archive(name: string, files: Record<string, string[]>): Promise<string> {
  const tar = pack()
  for (const [file, lines] of Object.entries(files))
    tar.entry({ name: `${name}/${file}`, mtime: new Date(0) }, `${lines.join('\n')}\n`)
  tar.finalize()
  const path = join(folder, `${name}.tar.gz`)
  await writeFile(path, gzipSync(await buffer(tar)))
  return path
}

const stored = async (test: string, units: readonly number[]): Promise<Row[]> =>
  ingest.ask<Row>(
    `SELECT dictGet('${ingest.world.name}.agents', 'agent_id', agent) AS agent_id, * FROM ${ingest.world.name}.${test}
     WHERE agent_id IN (${units.map((unit) => `'${unit}'`).join()}) ORDER BY ALL`,
  )

const profileHeader =
  'Unit ID,ISP,Technology,State,Census,timezone_offset,timezone_offset_dst,Download,Upload,Whitebox Model'
const profile = (name: string, ...lines: string[]) =>
  month('profiles', { [name]: [profileHeader, ...lines] }).then((path) => join(path, name))

describe('the files', () => {
  const day = '2023-01-05'
  const everything = {
    'curr_httpgetmt.csv': [transferHeader, transfer(101, `${day} 10:00:00`, 5, 1000)],
    'curr_httpgetmt6.csv': [transferHeader, transfer(101, `${day} 11:00:00`, 5, 2000)],
    'curr_httppostmt.csv': [transferHeader, transfer(101, `${day} 10:01:00`, 5, 300)],
    'curr_dns.csv': [
      'unit_id,ddate,dtime,nameserver,lookup_host,response_ip,rtt,successes,failures',
      `101,${day},${day} 10:02:00,192.0.2.53,www.example.com,192.0.2.80,21000,1,0`,
    ],
    'curr_ping.csv': [
      'unit_id,ddate,dtime,target,rtt_avg,rtt_min,rtt_max,rtt_std,successes,failures',
      `101,${day},${day} 10:03:00,sp1,14000,13000,15000,100,5,0`,
    ],
    'curr_udplatency.csv': [
      'unit_id,ddate,dtime,target,rtt_avg,rtt_min,rtt_max,rtt_std,successes,failures',
      `101,${day},${day} 10:04:00,sp1,14500,13000,15000,100,590,10`,
    ],
    'curr_udpjitter.csv': [
      'unit_id,ddate,dtime,target,packet_size,stream_rate,duration,packets_up_sent,packets_down_sent,packets_up_recv,packets_down_recv,jitter_up,jitter_down,latency,successes,failures',
      `101,${day},${day} 10:05:00,sp1,160,64000,15000000,500,500,499,498,1200,800,16000,1,0`,
    ],
    'curr_webget.csv': [
      'unit_id,ddate,dtime,target,address,fetch_time,bytes_total,bytes_sec,objects,threads,requests,connections,reused_connections,lookups,request_total_time,request_min_time,request_avg_time,request_max_time,ttfb_total_time,ttfb_min_time,ttfb_avg_time,ttfb_max_time,lookup_total_time,lookup_min_time,lookup_avg_time,lookup_max_time,successes,failures',
      `101,${day},${day} 10:06:00,"http://www.example.com/?a,b",192.0.2.80,900000,500000,555555,20,8,20,8,12,3,4000000,1000,200000,400000,2000000,500,31000,200000,60000,10000,20000,30000,1,0`,
    ],
    'curr_traceroute.csv': [
      'unit_id,ddate,dtime,target,address,protocol,hop,hop_address,hop_name,sent,received,rtt_avg,successes,failures',
      `101,${day},${day} 10:07:00,sp1,192.0.2.1,icmp,1,10.0.0.1,home,3,3,500,1,0`,
      `101,${day},${day} 10:07:00,sp1,192.0.2.1,icmp,2,192.0.2.1,sp1,3,3,9000,1,0`,
    ],
    'curr_netusage.csv': [
      'unit_id,ddate,dtime,wan_rx_bytes,wan_tx_bytes,sk_rx_bytes,sk_tx_bytes',
      `101,${day},${day} 10:08:00,5000000,1000000,4000000,900000`,
    ],
    'curr_dlping.csv': ['unit_id,dtime,target'],
    'readme.txt': ['not a result'],
  }

  it('of every kind become results of their test, and the others are listed', async () => {
    const { report, exitCode, error } = await run(await month('202301', everything))
    expect({ error, exitCode, rejected: report.total.rejected }).toEqual({ error: '', exitCode: 0, rejected: 0 })
    expect(report.leftOut).toEqual(['curr_dlping.csv', 'readme.txt'].map((name) => join(folder, '202301', name)))
    expect(report.total.accepted).toBe(11)
    expect(await stored('httpget', [101])).toMatchObject([
      { dtime: `${day} 10:00:00.000`, bytes_sec: 1000, ip_version: 4, sequence: 5, threads: 8, target: 'sp1' },
      { dtime: `${day} 11:00:00.000`, bytes_sec: 2000, ip_version: 6, tcp_retransmissions: null, target_group: null },
    ])
    expect(await stored('httppost', [101])).toMatchObject([{ bytes_sec: 300, ip_version: 4 }])
    expect(await stored('dns', [101])).toMatchObject([{ lookup_host: 'www.example.com', rtt: 21000 }])
    expect(await stored('ping', [101])).toMatchObject([{ rtt_avg: 14000, successes: 5 }])
    expect(await stored('latency', [101])).toMatchObject([{ rtt_avg: 14500, failures: 10, address: null }])
    expect(await stored('jitter', [101])).toMatchObject([{ jitter_up: 1200, jitter_down: 800, latency: 16000 }])
    expect(await stored('webget', [101])).toMatchObject([
      { target: 'http://www.example.com/?a,b', ttfb_avg: 31000, lookup_max_time: 30000 },
    ])
    expect((await stored('traceroute', [101])).map(({ hop }) => hop)).toEqual([1, 2])
    expect(await stored('network_usage', [101])).toMatchObject([{ wan_rx_bytes: 5000000, sk_tx_bytes: 900000 }])
  })

  it('are skipped once they are imported', async () => {
    const { report } = await run(join(folder, '202301'))
    expect(report.files.every(({ skipped }) => skipped)).toBe(true)
    expect(await stored('httpget', [101])).toHaveLength(2)
  })

  it('are read again if their progress is unknown, and nothing is stored twice', async () => {
    await runSql(
      ingest.world.superuserUrl,
      'UPDATE import_files SET finished_at = NULL, bytes_done = 0, accepted = 0, duplicates = 0, rejected = 0',
    )
    await runSql(ingest.world.superuserUrl, 'UPDATE ingest_batches SET stored_at = NULL')
    const { report } = await run(join(folder, '202301'))
    expect(report.files.some(({ skipped }) => skipped)).toBe(false)
    expect(report.total).toMatchObject({ accepted: 11, rejected: 0 })
    expect(await stored('httpget', [101])).toHaveLength(2)
    expect(await stored('traceroute', [101])).toHaveLength(2)
  })

  it('may be in an archive; a truncated archive stores nothing of the file that it ends in', async () => {
    const rows = Array.from({ length: 3000 }, (_, row) =>
      transfer(103, `2023-02-01 ${String(row % 24).padStart(2, '0')}:00:00`, 5, row, `sp${row}`),
    )
    const path = await archive('202302', {
      'curr_httpgetmt.csv': [transferHeader, transfer(102, '2023-02-01 10:00:00', 5, 1000)],
      'curr_httppostmt.csv': [transferHeader, ...rows],
    })
    const { report, error } = await run(path)
    expect({ error, accepted: report.total.accepted }).toEqual({ error: '', accepted: 3001 })
    const bytes = await readFile(path)
    const cut = join(folder, 'cut.tar.gz')
    await writeFile(cut, bytes.subarray(0, Math.floor(bytes.length * 0.7)))
    const broken = await run(cut)
    expect(broken.error).toContain('not whole, valid gzip data')
    const plain = join(folder, 'cut.tar')
    await writeFile(plain, gunzipSync(bytes).subarray(0, 100_000))
    expect((await run(plain)).error).toContain('not a whole, valid archive')
    expect(await stored('httppost', [103])).toHaveLength(3000)
    expect((await run(path)).report.files.map(({ skipped }) => skipped)).toEqual([true, true])
  })

  it('that cannot be read do not prevent the import of the others', async () => {
    const { error, report } = await run(
      await month('broken', {
        'curr_dns.csv': ['unit_id,dtime,something,successes,failures', '1,2023-01-01 00:00:00,x,1,0'],
        'curr_ping.csv': ['1,2023-01-01 00:00:00,x'],
        'curr_netusage.csv': ['nonsense'],
        'curr_udplatency.csv': [
          'unit_id,dtime,target,rtt_avg,rtt_min,rtt_max,rtt_std,successes,failures',
          '104,2023-01-01 00:00:00,sp1,1,1,1,1,100,0',
        ],
      }),
    )
    expect(error).toMatch(/curr_dns.csv: .*something: This field was not expected/)
    expect(error).toMatch(/curr_ping.csv: The first line has 3 cells\. .* 9 or 10 cells/)
    expect(error).toMatch(/curr_netusage.csv: The first line contains neither/)
    expect(report.total.accepted).toBe(1)
  })
})

describe('rows of one test run', () => {
  it('become one result, that of the highest sequence, wherever they are', async () => {
    const at = '2023-03-01 10:00:00'
    const { report } = await run(
      await month('202303', {
        'curr_httpgetmt.csv': [
          transferHeader,
          transfer(110, at, 9, 900),
          transfer(110, at, 10, 1000),
          transfer(110, at, 0, 100),
          transfer(111, at, 0, 111),
          transfer(110, at, 4, 400, 'sp2'),
          transfer(110, '2023-03-01 10:00:01', 3, 300),
          transfer(110, at, 2, 200),
        ],
      }),
    )
    expect(report.files).toMatchObject([{ accepted: 4, partial: 3, duplicates: 0, rejected: 0, newUnits: 2 }])
    const results = await stored('httpget', [110, 111])
    expect(results.map((row) => [row['agent_id'], row['target'], row['bytes_sec']])).toEqual([
      ['110', 'sp1', 1000],
      ['110', 'sp2', 400],
      ['110', 'sp1', 300],
      ['111', 'sp1', 111],
    ])
  })

  it('with the same sequence are reported, and so is a readable row without one', async () => {
    const at = '2023-03-02 10:00:00'
    const { report, exitCode } = await run(
      await month('202303b', {
        'curr_httppostmt.csv': [
          transferHeader,
          transfer(112, at, 5, 500),
          transfer(112, at, 5, 501),
          transfer(112, at, 'x', 502),
        ],
      }),
    )
    expect(report.files).toMatchObject([{ accepted: 1, partial: 0, duplicates: 1, rejected: 1 }])
    expect(exitCode).toBe(2)
  })
})

describe('files of other years', () => {
  it('have no column names, and one more column', async () => {
    const row = '120,2012-01-03 04:00:00,sp1,192.0.2.1,5000000,5000,1000,1000,3000000,1000,5,3,1,0,77'
    const { report, error } = await run(
      await month('201201', {
        'curr_httpgetmt_2012_01.csv': [row, row.replace('04:00', '05:00')],
        'curr_webget_2011_08.csv': ['120,2011-08-03 04:00:00,"http://example.com/?a,b",900000,5000,5555,20,1,0,77'],
      }),
    )
    expect({ error, accepted: report.total.accepted }).toEqual({ error: '', accepted: 3 })
    expect(await stored('httpget', [120])).toMatchObject([
      { dtime: '2012-01-03 04:00:00.000', threads: 3, successes: 1, failures: 0 },
      { dtime: '2012-01-03 05:00:00.000' },
    ])
    expect(await stored('webget', [120])).toMatchObject([{ objects: 20, fetch_time: 900000, threads: null }])
  })

  it('begin with a number sign, or repeat the names half-way', async () => {
    const names = 'unit_id,dtime,target,rtt_avg,rtt_min,rtt_max,rtt_std,successes,failures'
    const row = (time: string) => `121,2021-05-01 ${time},sp1,1,1,1,1,5,0`
    const { report, error } = await run(
      await month('2011', {
        'curr_ping.csv': [`#${names}`, row('01:00:00')],
        'curr_udplatency.csv.gz': gzipSync([names, row('02:00:00'), names, row('03:00:00'), ''].join('\r\n')),
      }),
    )
    expect({ error, accepted: report.total.accepted, rejected: report.total.rejected }).toEqual({
      error: '',
      accepted: 3,
      rejected: 0,
    })
  })
})

it('rejects rows with too few or too many cells, and keeps their text', async () => {
  const { report } = await run(
    await month('cells', {
      'curr_netusage.csv': [
        'unit_id,dtime,wan_rx_bytes,wan_tx_bytes,sk_rx_bytes,sk_tx_bytes',
        '130,2023-01-01 00:00:00,1,2,3,4',
        '130,2023-01-01 01:00:00,1,2,3',
        '130,2023-01-01 02:00:00,1,2,3,4,5',
      ],
    }),
  )
  expect(report.total).toMatchObject({ accepted: 1, rejected: 2, rejections: [{ reason: 'malformed_row', rows: 2 }] })
  const kept = (await ingest.rejected()).filter(({ source }) => String(source).includes('cells'))
  expect(kept.map(({ raw }) => /2023-01-01 0[12]:00:00/.exec(String(raw))?.[0])).toEqual([
    '2023-01-01 01:00:00',
    '2023-01-01 02:00:00',
  ])
})

describe('units', () => {
  it('that are in no profile are registered; one of another organisation stays theirs', async () => {
    await ingest.register('theirs', ['140'])
    const { report, exitCode } = await run(
      await month('units', {
        'curr_ping.csv': [
          'unit_id,dtime,target,rtt_avg,rtt_min,rtt_max,rtt_std,successes,failures',
          // The last number is larger than the largest permitted unit number.
          ...['140', '141', '142', '9007199254740991', '9007199254740992'].map(
            (unit) => `${unit},2023-01-01 00:00:00,sp1,1,1,1,1,5,0`,
          ),
        ],
      }),
    )
    expect(report.files).toMatchObject([{ accepted: 3, rejected: 2, newUnits: 3 }])
    expect(report.total.rejections).toMatchObject([{ reason: 'unknown_agent', rows: 2 }])
    expect(exitCode).toBe(2)
    expect(await metadata(141)).toEqual({ package: null, isp: null, timezone: null, custom: {} })
  })

  it('on another panel of the organisation stay there, and their results are not stored under this panel', async () => {
    await ingest.register('homes', ['170'])
    const { report } = await run(
      await month('other-panel', {
        'curr_ping.csv': [
          'unit_id,dtime,target,rtt_avg,rtt_min,rtt_max,rtt_std,successes,failures',
          ...[170, 171].map((unit) => `${unit},2023-01-01 00:00:00,other-panel,1,1,1,1,5,0`),
        ],
      }),
    )
    expect(report.files).toMatchObject([{ accepted: 1, rejected: 1, newUnits: 1 }])
    expect(report.total.rejections).toMatchObject([{ reason: 'unknown_agent' }])
  })

  it('of two panels are imported for each, also if one import was interrupted', async () => {
    await ingest.register('homes', ['190', '191'])
    const path = await month('two-panels', {
      'curr_ping.csv': [
        'unit_id,dtime,target,rtt_avg,rtt_min,rtt_max,rtt_std,successes,failures',
        ...[190, 191, 192].map((unit) => `${unit},2023-01-01 00:00:00,two-panels,1,1,1,1,5,0`),
      ],
    })
    expect((await run(path)).report.files).toMatchObject([{ accepted: 1, rejected: 2 }])
    const file = join(path, 'curr_ping.csv')
    await runSql(ingest.world.superuserUrl, 'UPDATE import_files SET finished_at = NULL WHERE path = $1', [file])
    const homes = async () => JSON.parse((await sayOn('homes', '--json', path)).said) as Report
    expect((await homes()).files).toMatchObject([{ skipped: false, accepted: 2, rejected: 1 }])
    expect((await homes()).files).toMatchObject([{ skipped: true, accepted: 2 }])
    expect((await run(path)).report.files).toMatchObject([{ skipped: false, accepted: 1, rejected: 2 }])
    expect((await run(path)).report.files).toMatchObject([{ skipped: true, accepted: 1 }])
    expect(await stored('ping', [190, 191, 192])).toHaveLength(3)
  })

  it('that failed have no times, whatever the data set says', async () => {
    await run(
      await month('failed', {
        'curr_udplatency.csv': [
          'unit_id,dtime,target,rtt_avg,rtt_min,rtt_max,rtt_std,successes,failures',
          '180,2023-01-05 10:00:00,failed,14500,13000,15000,0,600,0',
          '180,2023-01-05 11:00:00,failed,0,0,0,0,0,600',
        ],
      }),
    )
    const latencies = (await ingest.stored('latency')).filter(({ target }) => target === 'failed')
    const none = { rtt_avg: null, rtt_min: null, rtt_max: null, rtt_std: null }
    expect(latencies).toMatchObject([
      { rtt_avg: 14_500, rtt_std: 0, successes: 600 },
      { ...none, successes: 0, failures: 600 },
    ])
  })

  it('that exist keep what a profile does not contain: address, kind and country', async () => {
    const mac = '02:00:00:00:00:a1'
    const row = { agent_id: '160', unit_id: '160', mac_address: mac, kind: 'cpe', base: 'r3', country: 'GB' } as const
    await ingest.world.operate((operator) => importAgents(operator, 'mba', asLines([{ line: 2, row }]), () => {}))
    const units = await profile('known-units.csv', '160,Comcast,Cable,CA,West,-8,-7,50.0,10,skwb8')
    const results = await month('known', {
      'curr_ping.csv': [
        'unit_id,dtime,target,rtt_avg,rtt_min,rtt_max,rtt_std,successes,failures',
        '160,2023-01-01 00:00:00,sp1,1,1,1,1,5,0',
      ],
    })
    expect((await run(results, '--profile', units, '--from', '2023-01-01')).error).toBe('')
    expect(
      await runSql(
        ingest.world.superuserUrl,
        `SELECT mac_address, kind, base, country FROM agents WHERE agent_id = '160'`,
      ),
    ).toEqual([{ mac_address: mac, kind: 'cpe', base: 'skwb8', country: 'GB' }])
  })

  it('whose package has corrected speeds keep these in a later profile', async () => {
    const header = 'unit_id,dtime,target,rtt_avg,rtt_min,rtt_max,rtt_std,successes,failures'
    const results = await month('corrected', { 'curr_ping.csv': [header, '781,2023-01-01 00:00:00,sp1,1,1,1,1,5,0'] })
    const unit = 'Frontier,DSL,OH,Midwest,-5,-4,[1.1 - 3.0],0.768,wnr3500l'
    const january = await profile('january.csv', `781,${unit}`)
    const february = await profile('february.csv', `781,${unit}`, `782,${unit}`)
    expect((await run(results, '--profile', january, '--from', '2023-01-01')).error).toBe('')
    const named = { isp: 'Frontier', package: 'DSL [1.1 - 3.0]/0.768' }
    const row = { ...named, download_bits_sec: 2_500_000, upload_bits_sec: 768_000 }
    const speeds = await ingest.world.operate(async (operator) => {
      await importPackages(operator, asLines([{ line: 2, row }]), () => {}, '2023-01-01')
      return findSpeedHistory(operator, named)
    })
    expect((await run(results, '--profile', february, '--from', '2023-02-01')).report.profile).toMatchObject({
      registered: 1,
    })
    expect(await ingest.world.operate((operator) => findSpeedHistory(operator, named))).toEqual(speeds)
    expect(speeds.at(-1)).toMatchObject({ from_day: '2023-01-01', to_day: null, download_mbps: 2.5 })
  })

  it('have the metadata of their profile from a day on, and keep later changes when it is imported again', async () => {
    const units = await profile(
      'unit-profile.csv',
      '151,Comcast,Cable,CA,West,-8,-7,50.0,10,skwb8',
      '152,Windstream,DSL,OH,Midwest,-5,-4,[1.1 - 3.0],0.768,wnr3500l',
      '153,Comcast,Cable,AZ,West,-7.0,-7,50,10,skwb8',
      '154,,,,,,,,,',
    )
    const results = await month('profiled', {
      'curr_ping.csv': [
        'unit_id,dtime,target,rtt_avg,rtt_min,rtt_max,rtt_std,successes,failures',
        '151,2023-01-01 00:00:00,sp1,1,1,1,1,5,0',
      ],
    })
    const words = [results, '--profile', units, '--from', '2023-01-01']
    const { report, error } = await run(...words)
    expect({ error, profile: report.profile }).toEqual({ error: '', profile: { registered: 4, changed: 4 } })
    expect(await metadata(151)).toEqual({
      package: 'Comcast:Cable 50/10',
      isp: 'Comcast',
      timezone: 'America/Los_Angeles',
      custom: { technology: 'Cable', state: 'CA', census: 'West' },
    })
    expect(await metadata(152)).toMatchObject({
      package: 'Windstream:DSL [1.1 - 3.0]/0.768',
      timezone: 'America/New_York',
    })
    expect(await metadata(153)).toMatchObject({ package: 'Comcast:Cable 50/10', timezone: 'America/Phoenix' })
    expect(await metadata(154)).toEqual({ package: null, isp: null, timezone: null, custom: {} })
    const changed = await call(`${ingest.service.addresses.api}/metadata`, {
      method: 'PUT',
      token: reader,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ agent: { unit_id: 151 }, metadata: { timezone: 'America/Chicago' } }),
    })
    expect(changed.status).toBe(200)
    const elsewhere = join(folder, 'the-same-profile.csv')
    await copyFile(units, elsewhere)
    for (const again of [words, [results, '--profile', elsewhere, '--from', '2023-01-01']]) {
      expect((await run(...again)).report.profile).toBeNull()
      expect(await metadata(151)).toMatchObject({ timezone: 'America/Chicago' })
    }
    const ping = join(results, 'curr_ping.csv')
    expect((await say(...words)).said).toBe(
      `${units}: an earlier run has imported this profile\n${ping}: an earlier run has imported this file\n`,
    )
    expect((await say(results)).said).toBe(`${ping}: an earlier run has imported this file\n`)
  })

  it.each([
    ['offsets of no zone', '160,Comcast,Cable,CA,West,-8,-8,50,10,m', /line 2: time-zone offsets -8\/-8/],
    ['an ISP with a colon', '160,Com:cast,Cable,CA,West,-8,-7,50,10,m', /line 2: isp/],
    ['a unit that is no number', 'x,Comcast,Cable,CA,West,-8,-7,50,10,m', /line 2: unit_id/],
    ['a speed of nothing', '160,Comcast,Cable,CA,West,-8,-7,0,10,m', /line 2: download_mbps/],
  ])('of a profile with %s are not registered, and no result is stored', async (name, line, message) => {
    const units = await profile(`${name}.csv`, line, '161,Comcast,Cable,CA,West,-8,-7,50,10,m')
    const { error } = await run(join(folder, 'units'), '--profile', units, '--from', '2023-01-01')
    expect(error).toMatch(message)
    expect(await metadata(161)).toBeNull()
  })

  it('need a profile with all columns, and its first valid day', async () => {
    const path = await month('profiles', { 'short.csv': ['Unit ID,ISP,Technology,State', '1,a,b,c'] })
    const short = join(path, 'short.csv')
    expect((await run(folder, '--profile', short, '--from', '2023-01-01')).error).toMatch(
      /census, offset, offset_dst, download, upload, model/,
    )
    expect((await run(folder, '--profile', short)).error).toBe('--profile and --from must be used together')
    expect((await run(folder, '--profile', short, '--from', '2023-02-30')).error).toContain('--from takes a day')
  })
})

async function metadata(unit: number): Promise<unknown> {
  const answer = await call(`${ingest.service.addresses.api}/metadata/unit/${unit}`, { token: reader })
  return answer.status === 404 ? null : answer.body['data']
}
