import { Argument, type Command } from 'commander'
import type { CommandContext } from '../context.ts'

/** A command in words, such as `token create`, and what may follow it: subcommands, options and choices of arguments. */
type Completion = { readonly words: string; readonly next: readonly string[] }

export function addCompletionCommand(program: Command, context: CommandContext): void {
  program
    .command('completion')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
    .description('print a script that completes commands and options: source <(broadgauge completion bash)')
    .action((shell: 'bash' | 'zsh' | 'fish') => context.write(scripts[shell](completionsOf(program, []))))
}

function completionsOf(command: Command, words: readonly string[]): Completion[] {
  const names = command.commands.map((one) => one.name())
  const options = command.options.flatMap(({ long }) => long ?? [])
  const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? [])
  const completion = { words: words.join(' '), next: [...names, ...choices, ...options, '--help'] }
  return [completion, ...command.commands.flatMap((one) => completionsOf(one, [...words, one.name()]))]
}

const bash = (completions: readonly Completion[]): string => `_broadgauge() {
  local words="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do [[ $word == -* ]] || words="$words\${words:+ }$word"; done
  local next
  case "$words" in
${completions
  .map(({ words, next }) => `    "${words}"${words === '' ? '' : ` | "${words} "*`}) next="${next.join(' ')}" ;;`)
  .toReversed()
  .join('\n')}
  esac
  COMPREPLY=($(compgen -W "$next" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _broadgauge broadgauge
`

const zsh = (completions: readonly Completion[]): string =>
  `autoload -U +X bashcompinit && bashcompinit\n${bash(completions)}`

const fish = (completions: readonly Completion[]): string =>
  completions
    .flatMap(({ words, next }) =>
      next.map((name) => {
        const condition =
          words === ''
            ? '__fish_use_subcommand'
            : words
                .split(' ')
                .map((word) => `__fish_seen_subcommand_from ${word}`)
                .join('; and ')
        return `complete -c broadgauge -n '${condition}' ${name.startsWith('--') ? `-l ${name.slice(2)}` : `-f -a ${name}`}\n`
      }),
    )
    .join('')

const scripts = { bash, zsh, fish }
