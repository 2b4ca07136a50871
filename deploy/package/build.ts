/**
 * `npm run build`: writes the contents of the package to dist/. The files are JavaScript, because Node runs no TypeScript below
 * node_modules. They are in the same folders as in the repository, so that relative paths between files are valid in both.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildConsole } from '../../console/build.ts'
import { billOfMaterials } from './bill-of-materials.ts'

const root = join(import.meta.dirname, '../..')
const readAtRunTime = [
  'migrations',
  'console/dist',
  'devstack/package.json',
  'devstack/clickhouse/config.xml',
  'devstack/clickhouse/users.xml',
  'devstack/clickhouse/users.d',
]

// The package must not contain files of an earlier build.
rmSync(join(root, 'dist'), { recursive: true, force: true })
await buildConsole()
execFileSync('tsc', ['-p', import.meta.dirname], { stdio: 'inherit' })
for (const path of readAtRunTime) cpSync(join(root, path), join(root, 'dist', path), { recursive: true })
const { name, version, type }: Record<string, string> = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
writeFileSync(join(root, 'dist/package.json'), JSON.stringify({ name, version, type }))
writeFileSync(join(root, 'dist/sbom.cdx.json'), `${JSON.stringify(billOfMaterials(root), null, 2)}\n`)
