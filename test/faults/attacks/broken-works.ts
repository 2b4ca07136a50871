import type { Answer } from '../../kit/call.ts'
import { pause } from '../attempt.ts'
import { rollDice, type Dice } from '../dice.ts'
import { rollBreak, type Break, type BreakingProxy, type Sizes } from './breaking-proxy.ts'
import type { Outcome } from './broken-answer.ts'
import { sized, type Tally, type Zero } from './tally.ts'

export const breaks = sized(200, 1_000)
/** The maximum time until the service uses a store again after a break. It allows for a busy machine. */
const recoveryMs = 10_000
/** Pause before the test checks whether the store still runs. */
const lookAfterMs = 1_000
/**
 * The attack ends after a store has stayed unavailable this many times. More findings would add no information and take
 * hours.
 */
const neverWellMax = 3

/**
 * One request, or a sequence of requests. The attack sends it while a connection breaks, and then again until it
 * succeeds. `verify` returns what is wrong with a response of status 200, or null.
 */
export type Work = {
  readonly name: string
  /**
   * True if the response streams. The service may cut a streamed response, and the response may be silent for a minute.
   * This attack therefore does not report either of them.
   */
  readonly streams?: boolean
  /** The maximum total time. Absent if the work takes at most as long as one request (30 s and a margin). */
  readonly retryForMs?: number
  /**
   * The forbidden event (docs/reliability.md) that a wrong response of status 200 is. The default is Z1, a lost write.
   */
  readonly zero?: Zero
  readonly run: () => Promise<Outcome>
  readonly verify: (answer: Answer) => Promise<string | null> | string | null
}

export type BrokenWorks = {
  /** The proxies. Each round breaks a connection of one proxy; the rounds use the proxies in turn. */
  readonly proxies: readonly BreakingProxy[]
  readonly seed: number
  readonly tally: Tally
  readonly makeWork: (round: number) => Work
  /**
   * Starts the store again if it has exited. That is not the fault of the service. Returns true if the store had
   * exited.
   */
  readonly revive: () => Promise<boolean>
}

/**
 * Breaks connections during work. Each response must be complete or report an error, and the work must succeed soon
 * afterwards.
 */
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
    // The first run of a kind of work only opens connections. The second run measures how many bytes the work sends and
    // receives. In the later runs, the proxy breaks connections.
    const wanted = size?.[turn] === undefined ? null : rollFor(work, dice, size[turn])
    const proxy = proxies[turn]
    if (wanted !== null) proxy?.arm(wanted)
    const startedAt = performance.now()
    const outcome = await work.run()
    const after = proxies.map((one) => one.seen())
    const said = `round ${round}, ${work.name}, ${proxy?.name}, ${JSON.stringify(wanted)}: ${described(outcome)}`
    if (performance.now() - startedAt > (work.retryForMs ?? 31_000)) tally.breach('Z8', work.name, said)
    if (wanted !== null && proxy?.disarm() === true) {
      tally.count(`${proxy.name} ${nameOf(wanted)}: ${outcome.status}`)
      // Delayed and stalled connections do not count as broken.
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

const described = ({ status, text }: Outcome): string => `${status} ${text.slice(0, 300)}`

/**
 * Repeats the work until it succeeds, and verifies every success. Returns false if the work does not succeed in time.
 */
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
    judge(work, outcome, tally, outcome === first ? said : `${said}; then ${described(outcome)}`)
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

/** The response must have status 200 or 503. The service may also cut a streamed response after it has begun. */
function judge({ name, streams = false }: Work, { status }: Outcome, tally: Tally, said: string): void {
  if (status === 200 || status === 503 || (status === 'cut' && streams)) return
  tally.breach(status === 'too late' ? 'Z8' : 'Z10', `${name}: ${status}, neither 200 nor 503`, said)
}

const difference = (after: Sizes, before: Sizes | undefined): Sizes => ({
  'to the store': after['to the store'] - (before?.['to the store'] ?? 0),
  'from the store': after['from the store'] - (before?.['from the store'] ?? 0),
})
