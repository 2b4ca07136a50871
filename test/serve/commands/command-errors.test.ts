import { Command, Option } from 'commander'
import { expect, it } from 'vitest'
import { explainErrors } from '../../../src/serve/commands/command-errors.ts'

function errorOf(...words: string[]): string {
  let text = ''
  const program = new Command('tool').exitOverride().configureOutput({ writeErr: (more) => void (text += more) })
  const query = program.command('query').option('--split <id>').option('--from <time>')
  query.addOption(new Option('--by <aggregation>').choices(['daily', 'weekly'])).action(() => {})
  const token = program.command('token')
  token.command('create <organisation>').action(() => {})
  token.command('revoke').action(() => {})
  explainErrors(program, (more) => `<red>${more}</red>`)
  expect(() => program.parse(words, { from: 'user' })).toThrow('error: ')
  return text
}

it('names the closest option, and the options of the command that was called', () => {
  expect(errorOf('query', '--splt', 'isp')).toBe(
    `<red>error: unknown option '--splt'\nDid you mean --split? Choices: --split, --from, --by, --help.</red>\n`,
  )
})

it('names the closest command, and the commands of its group', () => {
  expect(errorOf('token', 'creat')).toBe(
    `<red>error: unknown command 'creat'\nDid you mean create? Choices: create, revoke, help.</red>\n`,
  )
  expect(errorOf('qury')).toContain('Did you mean query? Choices: query, token, help.')
})

it('names the closest choice of an option', () => {
  expect(errorOf('query', '--by', 'dayly')).toBe(
    `<red>error: option '--by <aggregation>' argument 'dayly' is invalid. Did you mean daily? Choices: daily, weekly.</red>\n`,
  )
})

it('leaves other errors as they are', () => {
  expect(errorOf('token', 'create')).toBe(`<red>error: missing required argument 'organisation'</red>\n`)
})
