import { rightRules, type Rules } from './rules.ts'

/**
 * The statistic of all four kinds is Σ (h/n)·y / Σ (h/n)·x over blocks, with h hours and n rows of a block. For a mean, y
 * is the value and x is 1. For a share, y is the numerator and x is the denominator. Without normalisation, there is one
 * block.
 */
export type Entry = { agent: unknown; block: number; hours: number; y: bigint; x: bigint }

type Sums = { rows: bigint; y: bigint; x: bigint }

type Block = Sums & { hours: bigint; agents: Map<unknown, Sums> }

export type Jackknife = {
  /** For each agent, the statistic without this agent minus the statistic with it. */
  differences: number[]
  /** Kish's number of agents that would have the same effect if all had the same weight: (Σw)² / Σw². */
  effectiveAgents: number
  largestShare: number
}

/** Leaves out each agent in turn. All sums and their differences are computed in whole numbers. */
export function leaveOneOut(entries: readonly Entry[], rules: Rules = rightRules): Jackknife {
  const blocks = blocksOf(entries)
  const agents = [...new Set(entries.map(({ agent }) => agent))]
  const whole = weighted(blocks)
  const own = agents.map((agent) => weighted(blocks.map((block) => ({ ...block, ...only(block.agents.get(agent)) }))))
  const weights = rules.agentWeights === 'denominators' ? own.map(({ x }) => x) : rowCounts(blocks, agents)
  const total = weights.reduce(plus, 0n)
  return {
    differences: agents.map((agent, index) => {
      // Without the only agent there is no statistic.
      if (agents.length === 1) return 0
      return rules.variance === 'linearised'
        ? differenceOf(own[index] ?? whole, whole, whole.x)
        : withoutAgent(blocks, agent, whole, rules)
    }),
    effectiveAgents: quotient(total * total, weights.map((weight) => weight * weight).reduce(plus, 0n)),
    largestShare: quotient(
      weights.reduce((one, other) => (one > other ? one : other), 0n),
      total,
    ),
  }
}

const none: Sums = { rows: 0n, y: 0n, x: 0n }
const plus = (one: bigint, other: bigint): bigint => one + other
const only = ({ y, x }: Sums = none): { y: bigint; x: bigint } => ({ y, x })
const added = (sums: Sums, { y, x }: Entry): Sums => ({ rows: sums.rows + 1n, y: sums.y + y, x: sums.x + x })

function blocksOf(entries: readonly Entry[]): Block[] {
  const blocks = new Map<number, Block>()
  for (const entry of entries) {
    const block = blocks.get(entry.block) ?? { ...none, hours: BigInt(entry.hours), agents: new Map<unknown, Sums>() }
    block.agents.set(entry.agent, added(block.agents.get(entry.agent) ?? none, entry))
    blocks.set(entry.block, { ...block, ...added(block, entry) })
  }
  return [...blocks.values()]
}

const rowCounts = (blocks: readonly Block[], agents: readonly unknown[]): bigint[] =>
  agents.map((agent) => blocks.map((block) => block.agents.get(agent)?.rows ?? 0n).reduce(plus, 0n))

/** Σ (h/n)·y and Σ (h/n)·x, both multiplied by the product of all n. */
function weighted(blocks: readonly (Sums & { hours: bigint })[]): { y: bigint; x: bigint } {
  let [sumY, sumX, product] = [0n, 0n, 1n]
  for (const { hours, rows, y, x } of blocks) {
    sumY = sumY * rows + hours * y * product
    sumX = sumX * rows + hours * x * product
    product *= rows
  }
  return { y: sumY, x: sumX }
}

function withoutAgent(blocks: readonly Block[], agent: unknown, whole: { y: bigint; x: bigint }, rules: Rules): number {
  const left = blocks.flatMap((block) => {
    const { rows, y, x } = block.agents.get(agent) ?? none
    const remaining = { hours: block.hours, rows: block.rows - rows, y: block.y - y, x: block.x - x }
    if (remaining.rows > 0n) return [remaining]
    // A block without rows drops out, and so do its hours. The wrong rule keeps the hours.
    return rules.emptiedBlocks === 'drop out' ? [] : [{ hours: block.hours, rows: 1n, y: 0n, x: 1n }]
  })
  const rest = weighted(left)
  return differenceOf(rest, whole, rest.x)
}

/** (y·X − Y·x) / (divisor·X). With x as the divisor, this is y/x − Y/X. */
const differenceOf = (part: { y: bigint; x: bigint }, whole: { y: bigint; x: bigint }, divisor: bigint): number =>
  quotient(part.y * whole.x - whole.y * part.x, divisor * whole.x)

const quotientBits = 80

/** The quotient of two whole numbers of any length as a double. Only a wrong rule leaves no results and has the divisor 0. */
export function quotient(dividend: bigint, divisor: bigint): number {
  if (divisor === 0n) return NaN
  if (dividend < 0n) return -quotient(-dividend, divisor)
  const shift = Math.max(0, bits(divisor) - bits(dividend) + quotientBits)
  const half = Math.floor(shift / 2)
  // 2⁻ˢ could be below the smallest double, so the shift is undone in two steps.
  return Number((dividend << BigInt(shift)) / divisor) / 2 ** half / 2 ** (shift - half)
}

const bits = (number: bigint): number => number.toString(16).length * 4
