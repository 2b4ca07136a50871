import { parseArgs } from 'node:util'
import { type ComponentStatus, stackDown, stackStatus, stackUp } from './index.ts'

const usage = `Usage: npm run stack -- COMMAND [--name NAME]

  up [--shards N]   start PostgreSQL, N ClickHouse nodes and the object storage; what runs is left alone
  down [--wipe]     stop them; with --wipe also remove their data
  status            show what runs; exit code 1 when something is down

The default name is "dev".`

type Options = { name: string; shards?: string; wipe?: boolean }

const commands: Record<string, (options: Options) => Promise<void>> = { up, down, status }

async function up({ name, shards }: Options): Promise<void> {
  const startedMs = performance.now()
  const stack = await stackUp({ name, observe: console.log, ...(shards !== undefined && { shards: Number(shards) }) })
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
  console.log(`The stack "${name}" is ready after ${seconds} s. Its settings: ${stack.environmentFile}`)
}

async function down({ name, wipe }: Options): Promise<void> {
  await stackDown({ name, wipe: wipe ?? false })
  console.log(`The stack "${name}" is down${wipe ? ' and its data are removed' : '; its data are kept'}.`)
}

async function status({ name }: Options): Promise<void> {
  const components = await stackStatus({ name })
  if (components.length === 0) console.log(`There is no stack "${name}".`)
  else console.log(table(components))
  if (components.length === 0 || components.some(({ healthy }) => !healthy)) process.exitCode = 1
}

function table(components: ComponentStatus[]): string {
  const rows = components.map(({ component, running, healthy, pid, port, logFile }) => [
    component,
    healthy ? 'healthy' : running ? 'does not answer' : 'down',
    pid === undefined ? '-' : String(pid),
    String(port),
    logFile,
  ])
  const all = [['component', 'state', 'pid', 'port', 'log'], ...rows]
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...all.map((row) => (row[column] ?? '').length)))
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      name: { type: 'string', default: 'dev' },
      shards: { type: 'string' },
      wipe: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  const command = commands[positionals[0] ?? '']
  if (values.help || !command || positionals.length > 1) {
    console.log(usage)
    process.exitCode = values.help ? 0 : 2
    return
  }
  await command(values)
}

try {
  await main()
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
