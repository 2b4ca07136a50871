/**
 * Runs the attacks: `npm run faults -- gate|deep|soak [--beyond-tests] [--only TEXT]... [--seed N] [--minutes N]`. See
 * docs/reliability.md.
 */
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { attacks } from './attacks.ts'
import type { TallyRow } from './attacks/tally.ts'

type FileReport = {
  name: string
  status: string
  startTime: number
  endTime: number
  assertionResults: { status: string }[]
}

const { values, positionals } = parseArgs({
  options: {
    'beyond-tests': { type: 'boolean' },
    only: { type: 'string', multiple: true },
    seed: { type: 'string' },
    minutes: { type: 'string' },
  },
  allowPositionals: true,
})
const [size = ''] = positionals
if (!['gate', 'deep', 'soak'].includes(size)) throw new Error('say how much: npm run faults -- gate, deep or soak')
const seed = values.seed ?? String(randomInt(2 ** 32))
// The deep run leaves out attacks that have no file `*.attack.ts`. They are ordinary tests, and `npm run test:deep`
// runs them at the same sizes.
const isBeyondTests = values['beyond-tests'] === true || size === 'deep'
const possible = attacks.filter(
  ({ files, only }) =>
    (only === size || (only === undefined && size !== 'soak')) &&
    (!isBeyondTests || files.some((file) => file.endsWith('.attack.ts'))),
)
const chosen = possible.filter(
  ({ attack }) => values.only === undefined || values.only.some((text) => attack.includes(text)),
)
if (chosen.length === 0) throw new Error(`no such attack; there are: ${possible.map((one) => one.attack).join(', ')}`)

const folder = mkdtempSync(join(tmpdir(), 'broadgauge-faults-'))
// CI combines the reports of all runs.
const testsPath = process.env['BROADGAUGE_TEST_REPORT'] ?? join(folder, 'tests.json')
const talliesPath = join(folder, 'tallies')
const startedAt = performance.now()
const files = [...new Set(chosen.flatMap((one) => one.files))]
const child = spawn('vitest', ['run', '--reporter=default', '--reporter=json', `--outputFile=${testsPath}`, ...files], {
  stdio: 'inherit',
  env: {
    ...process.env,
    BROADGAUGE_FAULTS: '1',
    BROADGAUGE_FAULTS_REPORT: talliesPath,
    // In CI, the vitest configuration takes the path from this variable and ignores `--outputFile`.
    BROADGAUGE_TEST_REPORT: testsPath,
    BROADGAUGE_TEST_SEED: seed,
    ...(values.minutes === undefined ? {} : { BROADGAUGE_FAULTS_MINUTES: values.minutes }),
    BROADGAUGE_TEST_DEEP: size === 'deep' ? '1' : '0',
  },
})
const [code] = (await once(child, 'exit')) as [number | null]

const tallies = existsSync(talliesPath)
  ? readFileSync(talliesPath, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as TallyRow)
  : []
const reports = existsSync(testsPath)
  ? (JSON.parse(readFileSync(testsPath, 'utf8')) as { testResults: FileReport[] }).testResults
  : []

let skipped = 0
console.log(`\n| attack | count | zeros | breaches | s |\n| --- | --- | --- | --- | --- |`)
for (const { attack, files: own, zeros } of chosen) {
  const mine = reports.filter(({ name }) => own.some((file) => relative(process.cwd(), name).startsWith(file)))
  const counted = tallies.filter((row) => row.attack === attack)
  const tests = mine.reduce((sum, { assertionResults }) => sum + assertionResults.length, 0)
  const count = counted.length > 0 ? counted.map(({ total }) => total).join(' + ') : `${tests} tests`
  const isWhole = mine.length > 0 && mine.every(({ status }) => status === 'passed')
  const breaches = counted.reduce((sum, row) => sum + row.breaches, 0)
  const seconds = mine.reduce((sum, { startTime, endTime }) => sum + (endTime - startTime) / 1000, 0)
  // An attack skips itself if the machine lacks what it needs: the permission to mount, or the library that sets a
  // clock.
  const isSkipped =
    mine.length > 0 &&
    // If the setup of an attack failed, the attack did not run either. But that is a failure, not a skip.
    mine.every(({ status }) => status !== 'failed') &&
    mine.every((one) => one.assertionResults.every(({ status }) => status !== 'passed' && status !== 'failed'))
  if (isSkipped) skipped += 1
  const found = isSkipped ? 'NOT RUN HERE' : isWhole ? '0' : `FAILED${breaches > 0 ? `, ${breaches}` : ''}`
  console.log(`| ${attack} | ${count} | ${zeros.join(' ')} | ${found} | ${Math.round(seconds)} |`)
}
console.log(tallies.map((row) => `\n${row.attack}: ${outcomesOf(row)}`).join(''))
console.log(`\n${size}, seed ${seed}, ${Math.round((performance.now() - startedAt) / 1000)} s`)
if (skipped > 0) console.log(`${skipped} not run: this machine lacks what docs/reliability.md says they need`)
process.exitCode = skipped > 0 ? 1 : (code ?? 1)
// Remove the folder last. If the process ends while it builds the table, the results of an hour are still in the
// folder.
rmSync(folder, { recursive: true })

function outcomesOf({ outcomes }: TallyRow): string {
  return Object.entries(outcomes)
    .map(([what, count]) => `${what} ${count}`)
    .join(', ')
}
