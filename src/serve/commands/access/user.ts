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
  const user = program.command('user').description('people who sign in to the console by name')
  user
    .command('create <organisation> <name>')
    .description('create a user and show their password, this once')
    .option('--role <role>', `${roles.join(' or ')}: administrators manage the organisation’s tokens`, 'analyst')
    .option('--provider <key>', 'signs in by this sign-in of BROADGAUGE_SIGN_IN_FILE, and has no password here')
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
            ? `User ${name} signs in by ${options.provider}.`
            : `User ${name}, password shown only now:\n${password}`,
      ),
    )
  user
    .command('list [organisation]')
    .description('list users, never their passwords')
    .option('--json', 'print JSON')
    .action((organisation: string | undefined, options: Options) =>
      answer(context, options, (operator) => findUsers(operator, organisation ?? null)),
    )
  addChanges(user, context)
}

function addChanges(user: Command, context: CommandContext): void {
  user
    .command('password <name>')
    .description('issue a new password, show it this once, and sign the user out everywhere')
    .option('--json', 'print JSON')
    .action((name: string, options: Options) =>
      answer(
        context,
        options,
        (operator) => issuePassword(operator, name),
        ({ password }) => `User ${name}, password shown only now:\n${password}`,
      ),
    )
  user
    .command('role <name>')
    .addArgument(
      new Argument('<role>', 'administrators manage the organisation’s tokens').choices(roles).argParser(roleOf),
    )
    .description('give a user another role, from their next request on')
    .option('--json', 'print JSON')
    .action((name: string, role: Role, options: Options) =>
      answer(
        context,
        options,
        async (operator) => ({ ...(await changeRole(operator, name, role)), role }),
        ({ changed }) => `User ${name} is ${changed ? 'now' : 'already'} an ${role}.`,
      ),
    )
  user
    .command('disable <name>')
    .description('sign a user out everywhere, for good, and show the tokens they made that still work')
    .option('--revoke-tokens', 'make those tokens useless too')
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
  if (areRevoked) return ` Revoked with them:${lines}`
  return `\nTokens they made still work:${lines}
End one by: broadgauge token revoke <id>
End all by: broadgauge user disable ${name} --revoke-tokens`
}

/** What the database would refuse without words. */
function nameOf(text: string): string {
  if (!userName.test(text)) {
    throw new OperatorError(
      'a name has 1 to 254 letters, digits or signs of ASCII, without spaces; an e-mail address will do',
    )
  }
  return text
}

/** One that is misspelt would let nobody in. Where the command is not given the file, it cannot know. */
function providerOf(context: CommandContext, organisation: string, key: string | undefined): string | null {
  const { BROADGAUGE_SIGN_IN_FILE: file } = settingsOf(context)
  if (key === undefined || file === undefined) return key ?? null
  const own = readSignInFile(file).filter((one) => one.organisation === organisation)
  if (own.some((one) => one.key === key)) return key
  const known = own.map((one) => one.key).join(', ') || 'none'
  throw new OperatorError(`${organisation} has no sign-in "${key}" in BROADGAUGE_SIGN_IN_FILE; it has: ${known}`)
}

function roleOf(text: string): Role {
  const role = roles.find((one) => one === text)
  if (role === undefined) throw new OperatorError(`a role is ${roles.join(' or ')}, not "${text}"`)
  return role
}
