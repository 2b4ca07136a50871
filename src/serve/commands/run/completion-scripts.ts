/** What completes a command. */
export type Completion = {
  /** The command in words, such as `token create`. */
  readonly words: string
  /** Subcommands, options and choices of arguments. */
  readonly next: readonly string[]
  readonly options: readonly {
    readonly name: string
    readonly hasValue: boolean
    readonly choices: readonly string[]
  }[]
}

/** What `broadgauge choices` lists for the argument of `query`, and for the values of its options. */
const subjects = new Map([
  ['query', 'metric'],
  ['query --split', 'split'],
  ['query --filter', 'filter'],
])

/** The time limit is for the response of the service; starting Node.js takes some tenths of a second in addition. */
const choices = 'choices --timeout 1'

export const bash = (completions: readonly Completion[]): string => `_broadgauge() {
  local index=$COMP_CWORD current=\${COMP_WORDS[COMP_CWORD]} last kept=0 previous word
  local command="" next="" subject="" typed name="" end=" " escape=%q found
  # Bash splits words at = and :, such as \`--filter isp=Acme\`, and replaces only the text after the last of them.
  last=$current
  while ((index > 1)) && [[ $current == [=:]* || \${COMP_WORDS[index - 1]} == *[=:] ]]; do
    ((index -= 1))
    current=\${COMP_WORDS[index]}$current
  done
  previous=\${COMP_WORDS[index - 1]}
  if [[ $current == --*=* ]]; then
    previous=\${current%%=*}
    current=\${current#*=}
  fi
  if [[ $COMP_WORDBREAKS == *=* ]]; then
    [[ $last == [=:]* ]] && last=""
    kept=$((\${#current} - \${#last}))
  fi
  for word in "\${COMP_WORDS[@]:1:$((index - 1))}"; do [[ $word == -* ]] || command="$command\${command:+ }$word"; done
  case "$command $previous" in
${completions.flatMap(valueCases).join('\n')}
    *)
      case "$command" in
${completions.toReversed().flatMap(commandCases).join('\n')}
      esac
      ;;
  esac
  COMPREPLY=()
  for word in $(compgen -W "$next" -- "$current"); do COMPREPLY+=("\${word:$kept} "); done
  if [[ -n $subject && $current != -* ]]; then
    typed=\${current#[\\"\\']}
    if [[ $current != "$typed" ]]; then escape=%s end=""; fi
    typed=\${typed//\\\\/}
    if [[ $subject == filter ]]; then
      if [[ $typed == *=* ]]; then name=\${typed%%=*}=; else end="="; fi
    fi
    while IFS= read -r found; do
      printf -v word "$escape" "\${found#"$name"}"
      word=$name$word$end
      COMPREPLY+=("\${word:$kept}")
    done < <("\${COMP_WORDS[0]}" ${choices} "$subject" "$typed" 2>/dev/null </dev/null)
  fi
  # With no choices, Bash completes file names, which end with a space. None of them is a metric, split or filter.
  if ((\${#COMPREPLY[@]} == 0)); then
    if [[ -n $subject ]]; then compopt +o default; else compopt +o nospace; fi 2>/dev/null
  fi
}
complete -o default -o nospace -F _broadgauge broadgauge
`

/** Cases for the words after an option: its choices, or what the service lists. */
const valueCases = ({ words, options }: Completion): string[] =>
  options.flatMap(({ name, choices: values }) => {
    const subject = subjects.get(`${words} ${name}`)
    if (subject === undefined && values.length === 0) return []
    return [
      `    "${words} "*"${name}") ${subject === undefined ? `next="${values.join(' ')}"` : `subject=${subject}`} ;;`,
    ]
  })

/** Cases for all other words. The service lists choices for the first argument only. */
function commandCases({ words, next }: Completion): string[] {
  const subject = subjects.get(words)
  const names = `next="${next.join(' ')}"`
  if (words === '') return [`        "") ${names} ;;`]
  return [
    ...(subject === undefined ? [] : [`        "${words}") ${names} subject=${subject} ;;`]),
    `        "${words}" | "${words} "*) ${names} ;;`,
  ]
}

export const zsh = (completions: readonly Completion[]): string =>
  `whence compdef >/dev/null || { autoload -U compinit && compinit }
autoload -U +X bashcompinit && bashcompinit
${bash(completions)}`

export const fish = (completions: readonly Completion[]): string => `function __broadgauge_choices
  set -l typed (commandline -ct | string replace -r -- '^--[^=]*=' '' | string replace -ra -- '[\\\\\\\\\\'"]' '')
  set -l found (broadgauge ${choices} $argv[1] "$typed" 2>/dev/null)
  test $argv[1] = filter; and set found (string replace -r '^[^=]+$' '$0=' -- $found)
  string join \\n -- $found
end
${completions.flatMap(fishLines).join('')}`

function fishLines({ words, next, options }: Completion): string[] {
  const condition =
    words === ''
      ? '__fish_use_subcommand'
      : words
          .split(' ')
          .map((word) => `__fish_seen_subcommand_from ${word}`)
          .join('; and ')
  const line = (rest: string, also = '') => `complete -c broadgauge -n '${condition}${also}' ${rest}\n`
  const subject = subjects.get(words)
  return [
    ...next.filter((name) => !name.startsWith('--')).map((name) => line(`-f -a ${name}`)),
    ...(subject === undefined
      ? []
      : [line(`-f -a '(__broadgauge_choices ${subject})'`, '; and test (count (commandline -opc)) -eq 2')]),
    ...options.map(({ name, hasValue, choices: values }) => {
      const asked = subjects.get(`${words} ${name}`)
      const list = asked === undefined ? values.join(' ') : `(__broadgauge_choices ${asked})`
      return line(`-l ${name.slice(2)}${hasValue ? ' -r' : ''}${list === '' ? '' : ` -f -a '${list}'`}`)
    }),
    line('-l help'),
  ]
}
