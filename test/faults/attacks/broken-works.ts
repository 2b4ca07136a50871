import type { Answer } from '../../kit/call.ts'
import { pause } from '../attempt.ts'
import { rollDice, type Dice } from '../dice.ts'
import { rollBreak, type Break, type BreakingProxy, type Sizes } from './breaking-proxy.ts'
import type { Outcome } from './broken-answer.ts'
import { sized, type Tally, type Zero } from './tally.ts'

export const breaks = sized(200, 1_000)
/** How soon a broken store must be used again, the machine being busy. */
const recoveryMs = 10_000
/** Then somebody looks whether the store is there at all. */
const lookAfterMs = 1_000
/** A store that is gone for good is one finding: after a few of them the rest of the attack would only take hours. */
const neverWellMax = 3

/** One piece of work: done while something breaks, then again until it succeeds. `verify` says what is wrong with a 200. */
export type Work = {
  readonly name: string
  /** A minute of silence amid its answer is allowed, and tried by itself; so is a cut amid it. */
  readonly streams?: boolean
  /** How long it may take in all, where that is more than the 30 s and a little that one request has. */
  readonly patienceMs?: number
  /** What a 200 that is wrong is a breach of, where it is not a lost write. */
  readonly zero?: Zero
  readonly run: () => Promise<Outcome>
  readonly verify: (answer: Answer) => Promise<string | null> | string | null
}

export type BrokenWorks = {
  /** Broken in turn. */
  readonly proxies: readonly BreakingProxy[]
  readonly seed: number
  readonly tally: Tally
  readonly makeWork: (round: number) => Work
  /** Starts the store again if it has ended itself, which is not the service's doing; whether it had. */
  readonly revive: () => Promise<boolean>
}

/** Breaks connections under works, and expects whole answers or honest failures, and success soon afterwards. */
export async function breakUnderWorks({ proxies, seed, tally, makeWork, revive }: BrokenWorks): Promise<void> {
  const dice = rollDice(seed)
  const sizes = new Map<string, readonly Sizes[] | null>()
  const hits = new Map(proxies.map(({ name }) => [name, 0]))
  let [slowest, broken, late, neverWell] = [0, 0, 0, 0]
  for (let round = 0; broken < breaks && neverWell < neverWellMax; round += 1) {
    if (round > breaks * 4 + 20) throw new Error(`only ${broken} connections of ${round} works could be broken`)
    const work = makeWork(round)
    const turn = round % proxies.length
    const before = proxies.map((one) => one.seen())
    const size = sizes.get(work.name)
    // The first of its kind opens connections and is no measure, the second one is.
    const wanted = size?.[turn] === undefined ? null : rollFor(work, dice, size[turn])
    const proxy = proxies[turn]
    if (wanted !== null) proxy?.arm(wanted)
    const startedAt = performance.now()
    const outcome = await work.run()
    const after = proxies.map((one) => one.seen())
    const said = `round ${round}, ${work.name}, ${proxy?.name}, ${JSON.stringify(wanted)}: ${told(outcome)}`
    if (performance.now() - startedAt > (work.patienceMs ?? 31_000)) tally.breach('Z8', work.name, said)
    if (wanted !== null && proxy?.disarm() === true) {
      tally.count(`${proxy.name} ${nameOf(wanted)}: ${outcome.status}`)
      // Late is not broken: what is delayed or held comes on top of the number.
      if (wanted.how === 'delay' || wanted.how === 'stall') late += 1
      else {
        broken += 1
        hits.set(proxy.name, (hits.get(proxy.name) ?? 0) + 1)
      }
    }
    const brokenAt = performance.now()
    if (!(await becomesWell(work, outcome, tally, said, revive))) {
      neverWell += 1
      tally.breach('Z8', `${work.name}: not well after ${recoveryMs} ms`, said)
    }
    slowest = Math.max(slowest, performance.now() - brokenAt)
    if (size === undefined) sizes.set(work.name, null)
    else if (size === null)
      sizes.set(
        work.name,
        after.map((one, index) => difference(one, before[index])),
      )
  }
  console.log(
    `${broken} broken (${JSON.stringify(Object.fromEntries(hits))}) and ${late} delayed or held besides; well again after ` +
      `${Math.round(slowest)} ms at most; sizes ${JSON.stringify([...sizes])}`,
  )
}

function rollFor({ streams = false }: Work, dice: Dice, size: Sizes): Break {
  const rolled = rollBreak(dice, size)
  return rolled.how === 'stall' && streams ? { ...rolled, how: 'cut' } : rolled
}

const nameOf = ({ how, direction }: Break): string =>
  how === 'cut' && direction === 'from the store' ? 'truncated reply' : how

const told = ({ status, text }: Outcome): string => `${status} ${text.slice(0, 300)}`

/** Does the work again until it succeeds; whatever is said to have succeeded is held against the truth. */
async function becomesWell(
  work: Work,
  first: Outcome,
  tally: Tally,
  said: string,
  revive: BrokenWorks['revive'],
): Promise<boolean> {
  let startedAt = performance.now()
  let isLookedAfter = false
  for (let outcome = first; ; outcome = await work.run()) {
    const again = outcome === first ? '' : ', again'
    judge(work, outcome, tally, outcome === first ? said : `${said}; then ${told(outcome)}`)
    if (outcome.status === 200) {
      const wrong = await work.verify(outcome)
      if (wrong !== null) tally.breach(work.zero ?? 'Z1', `${work.name}${again}: ${wrong}`, said)
      return true
    }
    const isLate = performance.now() - startedAt > recoveryMs
    if (isLate || (!isLookedAfter && performance.now() - startedAt > lookAfterMs)) {
      isLookedAfter = true
      const wasGone = await revive()
      if (isLate && !wasGone) return false
      if (wasGone) {
        tally.count('the store ended itself')
        startedAt = performance.now()
      }
    }
    await pause(20)
  }
}

/** An answer must come, and be 200 or 503. One that streams may be cut instead, once it has begun. */
function judge({ name, streams = false }: Work, { status }: Outcome, tally: Tally, said: string): void {
  if (status === 200 || status === 503 || (status === 'cut' && streams)) return
  tally.breach(status === 'too late' ? 'Z8' : 'Z10', `${name}: ${status}, neither 200 nor 503`, said)
}

const difference = (after: Sizes, before: Sizes | undefined): Sizes => ({
  'to the store': after['to the store'] - (before?.['to the store'] ?? 0),
  'from the store': after['from the store'] - (before?.['from the store'] ?? 0),
})
