import { randomBytes } from 'node:crypto'
import type { Command } from 'commander'
import type { QuestionClient } from '../../../../clients/typescript/src/index.ts'
import { print } from '../../output.ts'
import { expiryOf } from '../access/token.ts'
import { printerOf, wholeNumber, type CommandContext } from '../context.ts'
import { callerError, clientOf } from '../data/caller.ts'

type Options = { json?: boolean; url?: string }
type ShareOptions = Options & { label: string; expires?: string; password?: boolean }

/** Commands for callers, like `query`, which runs a question: they call the API over HTTP. */
export function addQuestionCommands(program: Command, context: CommandContext): void {
  const question = program.command('question').description('list saved questions, and manage their share links')
  withOptions(question.command('list').description('list the saved questions of the organisation')).action(
    (options: Options) => call(context, options, (questions) => questions.list()),
  )
  withOptions(
    question.command('links <key>').description('list the share links of a question, without their secrets'),
  ).action((key: string, options: Options) => call(context, options, (questions) => questions.links(key)))
  withOptions(
    question
      .command('share <key>')
      .description('create a share link of a question and show it; it cannot be shown again')
      .requiredOption('--label <label>', 'for whom the link is')
      .option('--expires <when>', 'expiry: a number of days from now, or a UTC time (default: never)')
      .option('--password', 'make a password, which visitors need'),
  ).action((key: string, { label, expires, password = false, ...options }: ShareOptions) =>
    call(
      context,
      options,
      async (questions) => {
        const secret = password ? { password: randomBytes(18).toString('base64url') } : {}
        const expiresAt = expiryOf(expires, Temporal.Now.instant())
        const expiry = expiresAt === null ? {} : { expires_at: expiresAt.toString() }
        return { ...(await questions.share(key, { label, ...expiry, ...secret })), ...secret }
      },
      ({ id, url, password: secret }) =>
        `Link ${id}; it cannot be shown again:\n${url}${secret === undefined ? '' : `\nPassword, with any user name: ${secret}`}`,
    ),
  )
  withOptions(
    question.command('revoke-link <key> <id>').description('revoke a share link, from the next request on'),
  ).action((key: string, id: string, options: Options) =>
    call(
      context,
      options,
      async (questions) => {
        await questions.revokeLink(key, wholeNumber('revoke-link', id))
        return { id: Number(id), revoked: true }
      },
      () => `Link ${id} is revoked.`,
    ),
  )
}

const withOptions = (command: Command): Command =>
  command.option('--json', 'print JSON').option('--url <address>', 'base address of the data interface')

async function call<Value extends object>(
  context: CommandContext,
  options: Options,
  work: (questions: QuestionClient) => Promise<Value>,
  sentence?: (value: Value) => string,
): Promise<void> {
  const value = await work(clientOf(context, options).questions).catch((error: unknown) => {
    throw callerError(error)
  })
  print(printerOf(context, options), value, sentence?.(value))
}
