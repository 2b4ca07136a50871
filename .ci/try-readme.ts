/**
 * Runs the commands of README.md and docs/recipes.md as a new user would after a clone: `npm run demo` in one terminal, every
 * other shell block in another, the requests in JSON, and the Python code. Prints the time until the first response, and the time of a second start.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const blocksOf = (language: string): string[] =>
  ['README.md', 'docs/recipes.md'].flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
      ([, text = '']) => text,
    ),
  )
/** All Python blocks of a page form one program, because later blocks use variables of earlier blocks. */
const python = blocksOf('python').join('\n')
const lines = (block: string): string => block.replaceAll(/^(npm ci|npm run demo)\b.*$/gm, '')

/** Starts the demo and waits until it prints its address. */
async function startDemo(): Promise<{ demo: ChildProcess; seconds: number }> {
  const startedAt = performance.now()
  const demo = spawn('npm', ['run', '--silent', 'demo'], { stdio: ['ignore', 'pipe', 'inherit'], detached: true })
  let said = ''
  // Continue to read the output after the start, because the demo continues to write.
  const hasStarted = new Promise<boolean>((resolve) => {
    demo.stdout.on('data', (piece) => {
      said += String(piece)
      if (said.includes('Broadgauge answers at')) resolve(true)
    })
    demo.once('exit', () => resolve(false))
  })
  if (!(await hasStarted)) throw new Error(`the demo did not start:\n${said}`)
  return { demo, seconds: (performance.now() - startedAt) / 1000 }
}

async function stopDemo(demo: ChildProcess): Promise<void> {
  process.kill(-(demo.pid ?? 0), 'SIGINT')
  if (demo.exitCode === null) await once(demo, 'exit')
}

/** The environment variables that the recipes require. */
function environment(): NodeJS.ProcessEnv {
  const demo: { dataBaseUrl: string; tokens: { data: string } } = JSON.parse(
    readFileSync('.broadgauge/demo.json', 'utf8'),
  )
  return { ...process.env, BASE: demo.dataBaseUrl, TOKEN: demo.tokens.data }
}

async function run(block: string): Promise<void> {
  const shell = spawn('bash', ['-euo', 'pipefail', '-c', block], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: environment(),
  })
  let said = ''
  for await (const piece of shell.stdout) said += String(piece)
  if (shell.exitCode === null) await once(shell, 'exit')
  // curl exits with 0 whatever the HTTP status is, so check the response. Its first member is the code; warnings have codes too.
  const isFailure = /^\{"code":"(?!OK")/m.test(said) || said.trim() === ''
  if (shell.exitCode !== 0 || isFailure) throw new Error(`this does not work:\n${block}\n${said.slice(0, 500)}`)
  console.log(`ok: ${block.trim().split('\n')[0]} …`)
}

/** Follows an export until its file is complete, and reads the file. */
async function checkExport(): Promise<void> {
  const { BASE = '', TOKEN = '' } = environment()
  const ask = async (path: string, body?: string) => {
    const headers = { authorization: TOKEN, 'content-type': 'application/json' }
    const response = await fetch(`${BASE}${path}`, body === undefined ? { headers } : { headers, method: 'POST', body })
    return ((await response.json()) as { data: { status: string; url: string; status_url: string; rows: number } }).data
  }
  let state = await ask('/test_data.csv', '{"test":"latency","date":{"from":"-7 days","to":"now"}}')
  for (let waited = 0; state.status !== 'complete' && waited < 60; waited += 1) {
    await sleep(1_000)
    state = await ask(state.status_url)
  }
  const lineCount = state.status === 'complete' ? (await (await fetch(state.url)).text()).trim().split('\n').length : 0
  // The first line has the names of the columns.
  if (lineCount !== state.rows + 1) throw new Error(`the export has ${lineCount} lines: ${JSON.stringify(state)}`)
  console.log(`ok: an export of ${state.rows} rows`)
}

const first = await startDemo()
try {
  for (const block of blocksOf('sh')
    .map(lines)
    .filter((text) => text.trim() !== '' && !text.includes('apt-get')))
    await run(block)
  for (const request of blocksOf('json').filter((text) => text.includes('"chartType"')))
    await run(
      `curl -s -H "Authorization: $TOKEN" -H 'Content-Type: application/json' "$BASE/metric_data" -d '${request}'`,
    )
  await checkExport()
  await run(`$(command -v /usr/bin/python3 || command -v python3) - <<'END'\n${python}\nEND`)
} finally {
  await stopDemo(first.demo)
}
const second = await startDemo()
await stopDemo(second.demo)
console.log(`first start ${first.seconds.toFixed(1)} s, second start ${second.seconds.toFixed(1)} s`)
