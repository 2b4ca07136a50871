import { Argument, type Command, type Option } from 'commander'
import type { CommandContext } from '../context.ts'
import { bash, fish, zsh, type Completion } from './completion-scripts.ts'

const scripts = { bash, zsh, fish }

export function addCompletionCommand(program: Command, context: CommandContext): void {
  program
    .command('completion')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
    .description(
      'print a script that completes commands, options and their values: source <(broadgauge completion bash)',
    )
    .action((shell: 'bash' | 'zsh' | 'fish') => context.write(scripts[shell](completionsOf(program, []))))
}

function completionsOf(command: Command, words: readonly string[]): Completion[] {
  const options = command.options.flatMap(optionCompletion)
  const names = command.commands.map((one) => one.name())
  const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? [])
  const next = [...names, ...choices, ...options.map(({ name }) => name), '--help']
  return [
    { words: words.join(' '), next, options },
    ...command.commands.flatMap((one) => completionsOf(one, [...words, one.name()])),
  ]
}

const optionCompletion = ({ long = '', required, argChoices }: Option): Completion['options'] =>
  long === '' ? [] : [{ name: long, hasValue: required, choices: argChoices ?? [] }]
