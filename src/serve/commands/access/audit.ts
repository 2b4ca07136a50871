import type { Command } from 'commander'
import { findAuditedQueries, findCallCounts, findPeopleEvents } from '../../../engine/postgres/operator/audit.ts'
import { OperatorError } from '../../../engine/postgres/operator/operator.ts'
import { answer, firstOf, wholeNumber, type CommandContext } from '../context.ts'

type Span = { json?: boolean; organisation?: string; since: string; until?: string }
type QueryOptions = Span & {
  token?: string
  request?: string
  trace?: string
  endpoint?: string
  status?: string
  limit: string
}

const whenHelp = 'a number of days before now, or a UTC time such as 2027-01-31T00:00:00Z'

export function addAuditCommands(program: Command, context: CommandContext): void {
  const audit = program.command('audit').description('show the audit trail, which callers cannot see')
  spanned(audit.command('queries').description('list analytics queries, the newest first'))
    .option('--token <id>', 'list only queries of this token')
    .option('--request <id>', 'list only queries with this X-Request-Id')
    .option('--trace <id>', 'list only queries of this trace')
    .option('--endpoint <endpoint>', 'list only queries of this endpoint, such as "POST /metric_data"')
    .option('--status <status>', 'list only queries with this HTTP status')
    .option('--limit <number>', 'maximum number of rows', '100')
    .action((options: QueryOptions) => {
      const search = {
        organisation: options.organisation ?? null,
        token: numberOf('--token', options.token),
        requestId: options.request ?? null,
        traceId: options.trace ?? null,
        endpoint: options.endpoint ?? null,
        status: numberOf('--status', options.status),
        ...spanOf(options),
      }
      return answer(context, options, (operator) =>
        firstOf(context, options.limit, (rowsMax) => findAuditedQueries(operator, { ...search, rowsMax })),
      )
    })
  spanned(
    audit
      .command('people')
      .description('list sign-ins, and tokens that users created or revoked in the console, the newest first'),
  ).action((options: Span) =>
    answer(context, options, (operator) => findPeopleEvents(operator, options.organisation ?? null, spanOf(options))),
  )
  spanned(audit.command('calls').description('count calls by day, token, endpoint and status')).action(
    (options: Span) => {
      const { since, until } = spanOf(options)
      const days = { since: dayOf(since), until: dayOf(until) }
      return answer(context, options, (operator) => findCallCounts(operator, options.organisation ?? null, days))
    },
  )
}

const spanned = (command: Command): Command =>
  command
    .option('--organisation <key>', 'show only this organisation')
    .option('--since <when>', `beginning: ${whenHelp}`, '1')
    .option('--until <when>', `end: ${whenHelp} (default: now)`)
    .option('--json', 'print JSON')

const numberOf = (name: string, text: string | undefined): number | null =>
  text === undefined ? null : wholeNumber(name, text)

function spanOf({ since, until }: Span): { since: Temporal.Instant; until: Temporal.Instant } {
  const now = Temporal.Now.instant()
  return {
    since: instantOf('--since', since, now),
    until: until === undefined ? now : instantOf('--until', until, now),
  }
}

function instantOf(name: string, text: string, now: Temporal.Instant): Temporal.Instant {
  if (/^\d{1,5}$/.test(text)) return now.subtract({ hours: 24 * Number(text) })
  try {
    return Temporal.Instant.from(text)
  } catch (error) {
    throw new OperatorError(`${name} takes ${whenHelp}`, error)
  }
}

const dayOf = (instant: Temporal.Instant): Temporal.PlainDate => instant.toZonedDateTimeISO('UTC').toPlainDate()
