import type { Command } from 'commander'
import { tokenScopes, type TokenScope } from '../../../base/caller.ts'
import { isTooFar } from '../../../check/people/token-request.ts'
import { OperatorError } from '../../../engine/postgres/operator/operator.ts'
import { createToken, findTokens, revokeToken } from '../../../engine/postgres/operator/tokens.ts'
import { answer, keyList, wholeNumber, type CommandContext } from '../context.ts'

type CreateOptions = { json?: boolean; label: string; scopes: string; expires?: string }

export function addTokenCommands(program: Command, context: CommandContext): void {
  const token = program.command('token').description('manage access tokens of organisations')
  token
    .command('create <organisation>')
    .description('create a token and show it; it cannot be shown again')
    .requiredOption('--scopes <scopes>', `comma-separated scopes: ${tokenScopes.join(', ')}`)
    .option('--label <label>', 'purpose of the token', '')
    .option(
      '--expires <when>',
      'expiry: a number of days from now, or a UTC time such as 2027-01-31T00:00:00Z (default: never)',
    )
    .option('--json', 'print JSON')
    .action((organisation: string, options: CreateOptions) =>
      answer(
        context,
        options,
        (operator) =>
          createToken(operator, {
            organisation,
            label: options.label,
            scopes: scopesOf(options.scopes),
            expiresAt: expiryOf(options.expires, Temporal.Now.instant()),
          }),
        ({ id, token: secret }) => `Token ${id}; it cannot be shown again:\n${secret}`,
      ),
    )
  token
    .command('list <organisation>')
    .description('list the tokens of an organisation, without their secrets')
    .option('--json', 'print JSON')
    .action((organisation: string, options: { json?: boolean }) =>
      answer(context, options, (operator) => findTokens(operator, organisation)),
    )
  token
    .command('revoke <id>')
    .description('revoke a token; the service refuses it from the next request on')
    .option('--json', 'print JSON')
    .action((id: string, options: { json?: boolean }) =>
      answer(
        context,
        options,
        async (operator) => {
          await revokeToken(operator, wholeNumber('revoke', id))
          return { id: Number(id), revoked: true }
        },
        () => `Token ${id} is revoked.`,
      ),
    )
}

function scopesOf(text: string): TokenScope[] {
  const wanted = keyList(text)
  const scopes = tokenScopes.filter((scope) => wanted.includes(scope))
  if (scopes.length === 0 || scopes.length !== wanted.length) {
    throw new OperatorError(`--scopes takes ${tokenScopes.join(', ')}, comma-separated`)
  }
  return scopes
}

/** A number of days from now, or a time. Null if there is no text. */
export function expiryOf(text: string | undefined, now: Temporal.Instant): Temporal.Instant | null {
  if (text === undefined) return null
  const expiry = /^\d{1,5}$/.test(text) ? now.add({ hours: 24 * Number(text) }) : instantOf(text)
  if (Temporal.Instant.compare(expiry, now) <= 0) throw new OperatorError(`--expires ${text} is in the past`)
  if (isTooFar(expiry)) throw new OperatorError(`--expires ${text} must be before the year 10000`)
  return expiry
}

function instantOf(text: string): Temporal.Instant {
  try {
    return Temporal.Instant.from(text)
  } catch (error) {
    throw new OperatorError(`--expires takes a number of days or a time such as 2027-01-31T00:00:00Z`, error)
  }
}
