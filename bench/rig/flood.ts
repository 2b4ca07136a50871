/** Sends requests until it is killed. It is a separate process, so that it does not slow down the measuring process. */
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
    // Simulates a careless client: it ignores Retry-After and retries almost at once.
    if (status !== 200) await pause(20)
  }
}

// Lower the priority: real callers run on other machines, so the flood must not take CPU time from the service.
setPriority(10)
process.on('message', () => process.send?.(counts))
for (let index = 0; index < Number(connections); index += 1) void askOnAndOn()
