import { Argument, type Command } from 'commander'
import { roles, type Role } from '../../../base/person.ts'
import { userName } from '../../../check/people/sign-in-request.ts'
import { OperatorError } from '../../../engine/postgres/operator/operator.ts'
import type { LiveToken } from '../../../engine/postgres/operator/tokens.ts'
import {
  changeRole,
  createUser,
  disableUser,
  findUsers,
  issuePassword,
} from '../../../engine/postgres/operator/users.ts'
import { readSignInFile } from '../../wiring/sign-in-file.ts'
import { answer, settingsOf, type CommandContext } from '../context.ts'

type Options = { json?: boolean; role: string; provider?: string; revokeTokens?: boolean }

export function addUserCommands(program: Command, context: CommandContext): void {
  const user = program.command('user').description('manage users of the console')
  user
    .command('create <organisation> <name>')
    .description('create a user and show the password; it cannot be shown again')
    .option(
      '--role <role>',
      `${roleChoices}; administrators manage the tokens of the organisation, viewers change nothing`,
      'analyst',
    )
    .option(
      '--provider <key>',
      'provider in BROADGAUGE_SIGN_IN_FILE at which the user signs in, instead of with a password',
    )
    .option('--json', 'print JSON')
    .action((organisation: string, name: string, options: Options) =>
      answer(
        context,
        options,
        (operator) =>
          createUser(operator, {
            organisation,
            name: nameOf(name),
            role: roleOf(options.role),
            provider: providerOf(context, organisation, options.provider),
          }),
        ({ password }) =>
          password === ''
            ? `User ${name} signs in with the provider ${options.provider}.`
            : `Password of user ${name}; it cannot be shown again:\n${password}`,
      ),
    )
  user
    .command('list [organisation]')
    .description('list users, without their passwords')
    .option('--json', 'print JSON')
    .action((organisation: string | undefined, options: Options) =>
      answer(context, options, (operator) => findUsers(operator, organisation ?? null)),
    )
  addChanges(user, context)
}

function addChanges(user: Command, context: CommandContext): void {
  user
    .command('password <name>')
    .description('issue a new password, show it, and end all sessions of the user')
    .option('--json', 'print JSON')
    .action((name: string, options: Options) =>
      answer(
        context,
        options,
        (operator) => issuePassword(operator, name),
        ({ password }) => `Password of user ${name}; it cannot be shown again:\n${password}`,
      ),
    )
  user
    .command('role <name>')
    .addArgument(
      new Argument('<role>', 'administrators manage the tokens of the organisation').choices(roles).argParser(roleOf),
    )
    .description('change the role of a user, from the next request on')
    .option('--json', 'print JSON')
    .action((name: string, role: Role, options: Options) =>
      answer(
        context,
        options,
        async (operator) => ({ ...(await changeRole(operator, name, role)), role }),
        ({ changed }) => `User ${name} is ${changed ? 'now' : 'already'} ${role === 'viewer' ? 'a' : 'an'} ${role}.`,
      ),
    )
  user
    .command('disable <name>')
    .description('disable a user permanently, end all sessions, and show the valid tokens that the user created')
    .option('--revoke-tokens', 'also revoke these tokens')
    .option('--json', 'print JSON')
    .action((name: string, options: Options) => {
      const { revokeTokens = false } = options
      return answer(
        context,
        options,
        async (operator) => ({
          ...(await disableUser(operator, name, { revokeTokens })),
          disabled: true,
          tokens_revoked: revokeTokens,
        }),
        ({ tokens }) => `User ${name} is disabled.${tokens.length === 0 ? '' : tokensOf(name, tokens, revokeTokens)}`,
      )
    })
}

function tokensOf(name: string, tokens: readonly LiveToken[], areRevoked: boolean): string {
  const lines = tokens.map(({ id, label, organisation }) => `\n  ${id}  ${label || '-'}  ${organisation}`).join('')
  if (areRevoked) return ` These tokens of the user are revoked:${lines}`
  return `\nThese tokens that the user created are still valid:${lines}
Revoke one with: broadgauge token revoke <id>
Revoke all with: broadgauge user disable ${name} --revoke-tokens`
}

/** Checks the name here, because PostgreSQL would refuse an invalid one with an unhelpful error. */
function nameOf(text: string): string {
  if (!userName.test(text)) {
    throw new OperatorError(
      'a name has 1 to 254 printable ASCII characters without spaces, for example an e-mail address',
    )
  }
  return text
}

/**
 * Checks that the provider is configured: users of a misspelt provider could not sign in. Without a sign-in file, the command
 * cannot check this.
 */
function providerOf(context: CommandContext, organisation: string, key: string | undefined): string | null {
  const { BROADGAUGE_SIGN_IN_FILE: file } = settingsOf(context)
  if (key === undefined || file === undefined) return key ?? null
  const own = readSignInFile(file).filter((one) => one.organisation === organisation)
  if (own.some((one) => one.key === key)) return key
  const known = own.map((one) => one.key).join(', ') || 'none'
  throw new OperatorError(
    `BROADGAUGE_SIGN_IN_FILE has no provider "${key}" of ${organisation}; providers of ${organisation}: ${known}`,
  )
}

const roleChoices = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(roles)

function roleOf(text: string): Role {
  const role = roles.find((one) => one === text)
  if (role === undefined) throw new OperatorError(`a role is ${roleChoices}, not "${text}"`)
  return role
}
