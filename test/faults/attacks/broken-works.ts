import type { Answer } from '../../kit/call.ts'
import { pause } from '../attempt.ts'
import { rollDice } from '../dice.ts'
import { rollBreak, type BreakingProxy } from './breaking-proxy.ts'
import { sized, type Tally } from './tally.ts'

export const breaks = sized(200, 1_000)
/** How soon a broken store must be used again, the machine being busy. */
const recoveryMs = 10_000
/** A store that is gone for good is one finding: after a few of them the rest of the attack would only take hours. */
const neverWellMax = 3

/** One piece of work: done while something breaks, then again until it succeeds. `verify` says what is wrong with a 200. */
export type Work = {
  readonly name: string
  /** A minute of silence amid its answer is allowed, and tried by itself. */
  readonly streams?: boolean
  /** How long it may take in all, where it is more than one request; one has 30 s and a little. */
  readonly patienceMs?: number
  readonly run: () => Promise<Answer | null>
  readonly verify: (answer: Answer) => Promise<string | null> | string | null
}

type Sizes = ReturnType<BreakingProxy['seen']>

/** Breaks connections under works, and expects whole answers or honest failures, and success soon afterwards. */
export async function breakUnderWorks(
  proxy: BreakingProxy,
  seed: number,
  tally: Tally,
  makeWork: (round: number) => Work,
  /** Starts the store again if it has ended itself, which is not the service's doing; whether it had. */
  revive: () => Promise<boolean> = async () => false,
): Promise<void> {
  const dice = rollDice(seed)
  const sizes = new Map<string, Sizes | null>()
  let slowest = 0
  let broken = 0
  let neverWell = 0
  for (let round = 0; broken < breaks && neverWell < neverWellMax; round += 1) {
    if (round > breaks * 4 + 20) throw new Error(`only ${broken} connections of ${round} works could be broken`)
    const work = makeWork(round)
    const before = proxy.seen()
    const size = sizes.get(work.name)
    // The first of its kind opens connections and is no measure, the second one is.
    const rolled = size === undefined || size === null ? null : rollBreak(dice, size)
    const wanted = rolled?.how === 'stall' && work.streams === true ? { ...rolled, how: 'cut' as const } : rolled
    if (wanted !== null) proxy.arm(wanted)
    const startedAt = performance.now()
    const answer = await work.run()
    const after = proxy.seen()
    const said = `round ${round}, ${work.name}, ${JSON.stringify(wanted)}: ${answer?.status} ${answer?.text.slice(0, 300)}`
    if (performance.now() - startedAt > (work.patienceMs ?? 31_000)) tally.breach('Z8', work.name, said)
    const isBroken = wanted !== null && proxy.disarm()
    if (isBroken) {
      broken += 1
      tally.count(`${wanted.how} ${answer?.status ?? 'no answer'}`)
    }
    if (answer !== null && ![200, 503].includes(answer.status))
      tally.breach('Z10', `${work.name}: neither 200 nor 503`, said)
    const brokenAt = performance.now()
    let isWell = await becomesWell(work, answer, tally, said)
    if (!isWell && (await revive())) {
      tally.count('the store ended itself')
      isWell = await becomesWell(work, null, tally, said)
    }
    if (!isWell) {
      neverWell += 1
      tally.breach('Z8', `${work.name}: not well after ${recoveryMs} ms`, said)
    }
    slowest = Math.max(slowest, performance.now() - brokenAt)
    if (size === undefined) sizes.set(work.name, null)
    else if (size === null) sizes.set(work.name, difference(after, before))
  }
  console.log(`well again after ${Math.round(slowest)} ms at most; sizes ${JSON.stringify([...sizes])}`)
}

/** Does the work again until it succeeds; whatever is said to have succeeded is held against the truth. */
async function becomesWell(work: Work, first: Answer | null, tally: Tally, said: string): Promise<boolean> {
  const startedAt = performance.now()
  for (let answer = first; ; answer = await work.run()) {
    if (answer?.status === 200) {
      const wrong = await work.verify(answer)
      if (wrong !== null) tally.breach('Z1', `${work.name}${answer === first ? '' : ', again'}: ${wrong}`, said)
      return true
    }
    if (performance.now() - startedAt > recoveryMs) return false
    await pause(20)
  }
}

const difference = (after: Sizes, before: Sizes): Sizes => ({
  'to the store': after['to the store'] - before['to the store'],
  'from the store': after['from the store'] - before['from the store'],
})
