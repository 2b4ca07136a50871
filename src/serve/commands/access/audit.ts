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

const whenHelp = 'a number of days ago, or a UTC time such as 2027-01-31T00:00:00Z'

export function addAuditCommands(program: Command, context: CommandContext): void {
  const audit = program.command('audit').description('who asked what; nothing of it is visible to callers')
  spanned(audit.command('queries').description('analytics queries, the newest first'))
    .option('--token <id>', 'of one token')
    .option('--request <id>', 'with this X-Request-Id')
    .option('--trace <id>', 'in this trace')
    .option('--endpoint <endpoint>', 'such as "POST /metric_data"')
    .option('--status <status>', 'answered with this status')
    .option('--limit <number>', 'how many at most', '100')
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
      .description('sign-ins, and who made or revoked which token in the console, the newest first'),
  ).action((options: Span) =>
    answer(context, options, (operator) => findPeopleEvents(operator, options.organisation ?? null, spanOf(options))),
  )
  spanned(audit.command('calls').description('counts of calls by day, token, endpoint and status')).action(
    (options: Span) => {
      const { since, until } = spanOf(options)
      const days = { since: dayOf(since), until: dayOf(until) }
      return answer(context, options, (operator) => findCallCounts(operator, options.organisation ?? null, days))
    },
  )
}

const spanned = (command: Command): Command =>
  command
    .option('--organisation <key>', 'of one organisation')
    .option('--since <when>', whenHelp, '1')
    .option('--until <when>', `${whenHelp} (default: now)`)
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
