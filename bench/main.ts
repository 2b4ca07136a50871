/** Runs all benches, or the named ones: `npm run bench -- [name …] [--rows N] [--seconds N]`. See bench/README.md. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { parseArgs } from 'node:util'

const folder = new URL('.', import.meta.url)
const benches = readdirSync(folder).filter((name) => existsSync(new URL(`${name}/main.ts`, folder)))
const options = { rows: { type: 'string' }, seconds: { type: 'string' } } as const
const { values, positionals } = parseArgs({ options, allowPositionals: true })
const unknown = positionals.filter((name) => !benches.includes(name))
if (unknown.length > 0) throw new Error(`no such bench: ${unknown.join(', ')}; valid names: ${benches.join(', ')}`)

for (const name of positionals.length === 0 ? benches : positionals) {
  console.log(`\n${name}`)
  const words = [`${name}/main.ts`, ...(values.rows === undefined ? [] : [rowsOf(values.rows)])]
  const child = spawn(process.execPath, [new URL(words[0] ?? '', folder).pathname, ...words.slice(1)], {
    stdio: 'inherit',
    env: { ...process.env, ...(values.seconds === undefined ? {} : { BENCH_SECONDS: values.seconds }) },
  })
  const [code] = await once(child, 'exit')
  if (code !== 0) process.exitCode = 1
}

/** Converts `25M` to `25000000`. */
function rowsOf(text: string): string {
  const [, digits, unit = ''] = /^(\d+)([KMB]?)$/i.exec(text) ?? []
  if (digits === undefined) throw new Error(`--rows takes a number such as 500000, 25M or 1B, not "${text}"`)
  return String(Number(digits) * ({ '': 1, K: 1e3, M: 1e6, B: 1e9 }[unit.toUpperCase()] ?? 1))
}
