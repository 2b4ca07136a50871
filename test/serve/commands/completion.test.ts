import { Command, Option } from 'commander'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { addCompletionCommand } from '../../../src/serve/commands/run/completion.ts'

const folder = mkdtempSync(join(tmpdir(), 'broadgauge-completion-'))
const tool = join(folder, 'broadgauge')
// In place of the command: repeats what it is asked for, and lists values.
writeFileSync(tool, '#!/bin/sh\necho "$5 of $4"\ncase "$5" in *=*) echo "isp=North East: Fibre" ;; esac\n')
chmodSync(tool, 0o755)
afterAll(() => rmSync(folder, { recursive: true }))

async function scriptOf(shell: string): Promise<string> {
  let script = ''
  const program = new Command('broadgauge')
  const query = program.command('query <metric>').option('--split <id>').option('--filter <id=value>')
  query.addOption(new Option('--by <aggregation>').choices(['daily', 'monthly'])).option('--peak')
  const token = program.command('token')
  token.command('create <organisation>')
  token.command('revoke <id>')
  addCompletionCommand(program, { environment: {}, write: (more) => void (script += more) })
  await program.parseAsync(['completion', shell], { from: 'user' })
  return script
}

/** Returns what Bash offers, a choice per line. The words are as Bash splits them: at = and : too. */
async function complete(command: string, ...words: string[]): Promise<string[]> {
  const ask = `
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_WORDBREAKS=$' =:'
_broadgauge; printf '%s\\n' "\${COMPREPLY[@]}"`
  const script = `${await scriptOf('bash')}\n${ask}`
  return execFileSync('bash', ['-c', script, 'bash', command, ...words], { encoding: 'utf8' })
    .trimEnd()
    .split('\n')
}

it('completes commands, subcommands, options and choices, each with a space', async () => {
  expect(await complete(tool, 'que')).toEqual(['query'])
  expect(await complete(tool, 'token', '')).toEqual(['create ', 'revoke ', '--help'])
  expect(await complete(tool, 'query', 'latency', '--p')).toEqual(['--peak'])
  expect(await complete(tool, 'query', 'latency', '--by', '')).toEqual(['daily ', 'monthly'])
  expect(await complete(tool, 'query', '--by', '=', 'mon')).toEqual(['monthly'])
  expect(await complete(tool, 'completion', 'z')).toEqual(['zsh'])
})

it('asks the service for metrics, splits and filters, and escapes its choices', async () => {
  expect(await complete(tool, 'query', 'lat')).toEqual(['lat\\ of\\ metric'])
  expect(await complete(tool, 'query', 'latency', '--split', 'is')).toEqual(['is\\ of\\ split'])
  expect(await complete(tool, 'query', 'latency', '--filter', 'is')).toEqual(['is\\ of\\ filter='])
})

it('asks for the values of a filter, and returns the text after the last = or :, which Bash replaces', async () => {
  const [asked, value] = await complete(tool, 'query', 'latency', '--filter', 'isp', '=')
  expect(asked).toBe('\\ of\\ filter ')
  expect(value).toBe('North\\ East:\\ Fibre')
  expect(await complete(tool, 'query', 'latency', '--filter', '=', 'isp', '=', 'Nor')).toContain(
    'North\\ East:\\ Fibre',
  )
  expect(await complete(tool, 'query', 'latency', '--filter', 'isp', '=', 'North\\ East', ':')).toContain('\\ Fibre')
  expect(await complete(tool, 'query', 'latency', '--filter', "'isp=Nor")).toContain('isp=North East: Fibre')
})

it('asks nothing for other words, and offers nothing if the command fails', async () => {
  expect(await complete(tool, 'query', 'latency', '')).toEqual(['--split ', '--filter ', '--by ', '--peak ', '--help'])
  expect(await complete('/nowhere/broadgauge', 'query', 'latency', '--split', 'is')).toEqual([''])
})

it('executes nothing of the line that is completed', async () => {
  const line = ['query', 'latency', '--filter', 'isp', '=', `$(touch ${folder}/executed)`]
  await complete(tool, ...line)
  expect(execFileSync('ls', [folder], { encoding: 'utf8' })).toBe('broadgauge\n')
})

it('has the same commands and questions for fish', async () => {
  const script = await scriptOf('fish')
  expect(script).toContain(`'__fish_seen_subcommand_from query' -l by -r -f -a 'daily monthly'`)
  expect(script).toContain(`-l filter -r -f -a '(__broadgauge_choices filter)'`)
  expect(script).toContain(`'__fish_seen_subcommand_from token; and __fish_seen_subcommand_from create' -l help`)
})
