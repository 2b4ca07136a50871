import { Argument, type Command } from 'commander'
import type { CommandContext } from '../context.ts'

/** A command as words (`token create`), and what may follow it: its subcommands, options and words to choose from. */
type Place = { readonly words: string; readonly next: readonly string[] }

export function addCompletionCommand(program: Command, context: CommandContext): void {
  program
    .command('completion')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
    .description('print a script that completes commands and options: source <(broadgauge completion bash)')
    .action((shell: 'bash' | 'zsh' | 'fish') => context.write(scripts[shell](placesOf(program, []))))
}

function placesOf(command: Command, words: readonly string[]): Place[] {
  const names = command.commands.map((one) => one.name())
  const options = command.options.flatMap(({ long }) => long ?? [])
  const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? [])
  const place = { words: words.join(' '), next: [...names, ...choices, ...options, '--help'] }
  return [place, ...command.commands.flatMap((one) => placesOf(one, [...words, one.name()]))]
}

const bash = (places: readonly Place[]): string => `_broadgauge() {
  local words="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do [[ $word == -* ]] || words="$words\${words:+ }$word"; done
  local next
  case "$words" in
${places
  .map(({ words, next }) => `    "${words}"${words === '' ? '' : ` | "${words} "*`}) next="${next.join(' ')}" ;;`)
  .toReversed()
  .join('\n')}
  esac
  COMPREPLY=($(compgen -W "$next" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _broadgauge broadgauge
`

const zsh = (places: readonly Place[]): string => `autoload -U +X bashcompinit && bashcompinit\n${bash(places)}`

const fish = (places: readonly Place[]): string =>
  places
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
