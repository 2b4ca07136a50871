/** A flood in a process of its own, so that it does not slow down whoever measures: asks on and on until it is killed. */
import { setPriority } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { openSender, type Question } from './load.ts'

const [baseUrl = '', connections = '1', question = '{}'] = process.argv.slice(2)
const { send } = openSender(baseUrl)
const asked = JSON.parse(question) as Question
const counts: Record<number, number> = {}

async function askOnAndOn(): Promise<never> {
  for (;;) {
    const { status } = await send(asked)
    counts[status] = (counts[status] ?? 0) + 1
    // Somebody who does not care: not until Retry-After, only for as long as a program takes to try again.
    if (status !== 200) await pause(20)
  }
}

// Callers are elsewhere: here they shall not take the processors of those they ask.
setPriority(10)
process.on('message', () => process.send?.(counts))
for (let index = 0; index < Number(connections); index += 1) void askOnAndOn()
