import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { organisation, panel, token } from '../kit/panels.ts'
import { openWorld, type World } from '../kit/world.ts'

const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'broadgauge-package-'))
const own = JSON.parse(readFileSync('package.json', 'utf8')) as {
  version: string
  dependencies: Record<string, string>
}
type Packed = { filename: string; files: { path: string }[] }

let world: World
let packed: Packed

beforeAll(async () => {
  world = await openWorld()
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder])
  packed = (JSON.parse(stdout) as Packed[])[0] as Packed
  const install = ['install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', packed.filename]
  await run('npm', install, { cwd: folder })
}, 180_000)
afterAll(async () => {
  await world.close()
  rmSync(folder, { recursive: true })
})

/** Runs the installed package outside of the repository, as a user does. */
const command = (...words: string[]) =>
  run(join(folder, 'node_modules/.bin/broadgauge'), words, {
    cwd: folder,
    env: { PATH: process.env['PATH'], ...world.environment },
  })

it('shows its version and its commands', async () => {
  expect((await command('--version')).stdout.trim()).toBe(own.version)
  expect((await command('--help')).stdout).toContain('migrate')
})

it("contains its dependencies' notices and its licence, and neither sources nor tests", () => {
  const paths = packed.files.map(({ path }) => path)
  expect(paths).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'CHANGELOG.md', 'SECURITY.md']))
  expect(paths.filter((path) => /\.tsx?$|^(src|test|bench|console|client|\.)/.test(path))).toEqual([])
  const path = join(folder, 'node_modules/broadgauge/dist/sbom.cdx.json')
  const bill = JSON.parse(readFileSync(path, 'utf8')) as { bomFormat: string; components: { 'bom-ref': string }[] }
  expect(bill.bomFormat).toBe('CycloneDX')
  const references = bill.components.map((component) => component['bom-ref'])
  const direct = Object.entries(own.dependencies).map(([name, version]) => `${name}@${version}`)
  expect(references).toEqual(expect.arrayContaining([...direct, expect.stringMatching(/^react@/)]))
  expect(references.filter((name) => /^(vitest|typescript|@chdb)/.test(name))).toEqual([])
})

it('migrates and serves: a listing, the document and the console', async () => {
  expect((await command('migrate')).stdout).toContain('ClickHouse: table httpget')
  await organisation(world, 'regulator')
  await panel(world, 'national', 'regulator', ['whitebox'])
  const authorization = await token(world, 'regulator')
  const service = spawn(join(folder, 'node_modules/.bin/broadgauge'), ['serve'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], ...world.environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const api = await addressOf(service)
    const metrics = await fetch(`${api}/metrics`, { headers: { authorization } })
    const { code, data } = (await metrics.json()) as { code: string; data: { key: string }[] }
    expect([metrics.status, code, data.some(({ key }) => key === 'httpget')]).toEqual([200, 'OK', true])
    const document = (await (await fetch(`${api}/openapi.json`)).json()) as { info: object }
    expect(document.info).toMatchObject({ version: own.version })
    const pages = await Promise.all(['/console', '/docs'].map((path) => fetch(`${api}${path}`)))
    expect(pages.map(({ status }) => status)).toEqual([200, 200])
  } finally {
    service.kill('SIGTERM')
    if (service.exitCode === null) await once(service, 'exit')
  }
}, 60_000)

/** Reads the address of the service from its log, which consists of lines of JSON. */
async function addressOf({ stdout }: ChildProcess): Promise<string> {
  let said = ''
  for await (const piece of stdout?.iterator({ destroyOnReturn: false }) ?? []) {
    said += String(piece)
    const address = /"api":"([^"]+)"/.exec(said)?.[1]
    if (address !== undefined) return address
  }
  throw new Error(`it did not start: ${said}`)
}
