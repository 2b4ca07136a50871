import { Argument, InvalidArgumentError, type Command } from 'commander'
import { BroadgaugeError, type Client } from '../../../../clients/typescript/src/index.ts'
import { UserFacingError } from '../../../base/fault.ts'
import { choicesText } from '../choices-text.ts'
import type { CommandContext } from '../context.ts'
import { callerError, clientOf } from './caller.ts'

type Subject = 'metric' | 'split' | 'filter'
type Options = { timeout: number; url?: string }

const subjects: readonly Subject[] = ['metric', 'split', 'filter']

/**
 * Lists what `query` takes, for people and for the completion of a shell. A shell waits for it, so this file must import
 * nothing that loads slowly, such as the drivers of the stores.
 */
export function addChoicesCommand(program: Command, context: CommandContext): void {
  program
    .command('choices')
    .description('list the metrics, splits or filters that query takes, or the values of a filter: choices filter isp=')
    .addArgument(new Argument('<subject>').choices(subjects))
    .argument('[text]', 'list only choices that begin with this text', '')
    .option('--timeout <seconds>', 'give up after this time', secondsOf, 30)
    .option('--url <address>', 'base address of the data interface')
    .action(async (subject: Subject, text: string, { timeout, ...options }: Options) => {
      const signal = AbortSignal.timeout(timeout * 1_000)
      const found = await findChoices(clientOf(context, { ...options, retries: 0 }), subject, text, signal).catch(
        (error: unknown) => {
          throw callerError(error)
        },
      )
      const start = text.toLowerCase()
      context.write(
        found
          .filter((choice) => choice.toLowerCase().startsWith(start))
          .map((choice) => `${choice}\n`)
          .join(''),
      )
    })
}

async function findChoices(client: Client, subject: Subject, text: string, signal: AbortSignal): Promise<string[]> {
  if (subject === 'metric') return (await client.metrics({ signal })).map(({ key }) => key)
  if (subject === 'split') return (await client.splits({ signal })).map(({ id }) => id)
  const [, id, equals, search] = /^([^=!]+)(!?=)(.*)$/s.exec(text) ?? []
  if (id === undefined) return findFilters(client, signal)
  const values = await client.filterValues(id, { search: search ?? '', signal }).catch(async (error: unknown) => {
    if (!(error instanceof BroadgaugeError && error.status === 404)) throw error
    throw new UserFacingError(`no such filter: ${id}. ${choicesText(id, await findFilters(client, signal))}`)
  })
  return values.map(({ value }) => `${id}${equals}${value}`)
}

const findFilters = async (client: Client, signal: AbortSignal): Promise<string[]> =>
  (await client.filters({ signal })).map(({ id }) => id)

function secondsOf(text: string): number {
  const seconds = Number(text)
  if (!(seconds > 0 && seconds <= 3_600)) throw new InvalidArgumentError('It takes a number of seconds up to 3600.')
  return seconds
}
