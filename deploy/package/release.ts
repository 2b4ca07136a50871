/**
 * `npm run release -- [FOLDER]`: builds everything that a release publishes into FOLDER (default: release/): the npm
 * packages of the service and of the client, the Helm chart and the container image, each with an SBOM and a checksum. The
 * same commit gives the same bytes, except for the image.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { type Bill, billOf, billOfMaterials } from './bill-of-materials.ts'

const root = join(import.meta.dirname, '../..')
const folder = resolve(process.argv[2] ?? join(root, 'release'))
const chart = join(root, 'deploy/helm/broadgauge')

const say = (line: string): void => void process.stdout.write(`${line}\n`)
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const run = (program: string, ...words: string[]): Buffer =>
  execFileSync(program, words, { cwd: root, maxBuffer: 2 ** 30, stdio: ['ignore', 'pipe', 'inherit'] })

function checkVersions(): string {
  const versionIn = (path: string): string => {
    const manifest: { version: string } = JSON.parse(read(path))
    return manifest.version
  }
  const chartText = read('deploy/helm/broadgauge/Chart.yaml')
  const versions = {
    'package.json': versionIn('package.json'),
    'clients/typescript/package.json': versionIn('clients/typescript/package.json'),
    'version in Chart.yaml': /^version: (.*)$/m.exec(chartText)?.[1],
    'appVersion in Chart.yaml': /^appVersion: (.*)$/m.exec(chartText)?.[1],
  }
  const { 'package.json': version } = versions
  const others = Object.entries(versions).filter(([, one]) => one !== version)
  if (others.length > 0)
    throw new Error(`The version is ${version}, but ${others.map((one) => one.join(' is ')).join()}`)
  return version
}

/** Writes the SBOM and the checksum next to an artefact. */
function describe(path: string, bill: Bill): void {
  const text = `${JSON.stringify(bill, null, 2)}\n`
  writeFileSync(`${path}.cdx.json`, text)
  for (const one of [path, `${path}.cdx.json`]) {
    const sum = createHash('sha256').update(readFileSync(one)).digest('hex')
    // The format of `sha256sum --check`.
    writeFileSync(`${one}.sha256`, `${sum}  ${basename(one)}\n`)
  }
  say(basename(path))
}

/** `npm pack` gives all files the same date, so the archive depends only on their contents. */
function packNpm(...options: string[]): string {
  const words = ['--json', '--silent', '--pack-destination', folder, ...options]
  const [packed]: { filename: string }[] = JSON.parse(run('npm', 'pack', ...words).toString())
  if (packed === undefined) throw new Error('npm has packed nothing')
  return join(folder, packed.filename)
}

function packChart(version: string): string {
  const files = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX']
  const archive = run('tar', '--create', '--format=ustar', ...files, '--directory', join(chart, '..'), basename(chart))
  const path = join(folder, `broadgauge-chart-${version}.tgz`)
  writeFileSync(path, gzipSync(archive, { level: 9 }))
  return path
}

const works = (program: string): boolean => spawnSync(program, ['info'], { stdio: 'ignore' }).status === 0

function describeImage(version: string): void {
  const program = ['podman', 'docker'].find(works)
  if (program === undefined) {
    say('NOT BUILT: the container image, because neither podman nor docker works on this machine.')
    return
  }
  const image = `broadgauge:${version}`
  const path = join(folder, `broadgauge-image-${version}.tar`)
  try {
    run(program, 'build', '--file', 'deploy/docker/Dockerfile', '--tag', image, '.')
    run(program, 'save', '--output', path, image)
  } catch {
    say(`FAILED: ${program} has not built the container image. Everything else is complete.`)
    process.exitCode = 1
    return
  }
  const [, base = ''] = /^FROM (\S+@\S+)$/m.exec(read('deploy/docker/Dockerfile')) ?? []
  const bill = billOfMaterials(root)
  const { components } = billOf('container', 'broadgauge', version, [base])
  describe(path, { ...bill, components: [...components, ...bill.components] })
}

const version = checkVersions()
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
describe(packNpm(), billOfMaterials(root))
describe(packNpm('--workspace', 'clients/typescript'), billOf('library', '@broadgauge/client', version, []))
describe(packChart(version), billOf('application', 'broadgauge-chart', version, [`broadgauge:${version}`]))
describeImage(version)
