import type { Command } from 'commander'
import { choicesText } from './choices-text.ts'

const unknownName = /^error: unknown (option|command) '([^']*)'/
const invalidChoice = /'([^']*)' is invalid(.*)\. Allowed choices are (.*)\.$/m

/**
 * Prints errors of the command line in `paint`, and adds the closest choice and the choices to the errors of a command and of
 * its subcommands.
 */
export function explainErrors(command: Command, paint = (text: string) => text): void {
  command.showSuggestionAfterError(false).configureOutput({
    outputError: (text, write) => write(`${paint(explained(text.trimEnd(), command))}\n`),
  })
  for (const one of command.commands) explainErrors(one, paint)
}

/** Commander has no other interface to these two errors than their texts. */
function explained(text: string, command: Command): string {
  const [, kind, name] = unknownName.exec(text) ?? []
  if (kind !== undefined) {
    const help = command.createHelp()
    const choices =
      kind === 'option'
        ? help.visibleOptions(command).flatMap(({ long }) => long ?? [])
        : help.visibleCommands(command).map((one) => one.name())
    return `${text}\n${choicesText(name, choices, { listing: `${pathOf(command)} --help` })}`
  }
  return text.replace(
    invalidChoice,
    (_, given: string, where: string, choices: string) =>
      `'${given}' is invalid${where}. ${choicesText(given, choices.split(', '))}`,
  )
}

const pathOf = (command: Command): string =>
  command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`
