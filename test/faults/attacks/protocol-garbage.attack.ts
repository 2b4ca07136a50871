import { afterAll, beforeAll, expect, it } from 'vitest'
import { call } from '../../kit/call.ts'
import { newSeed, rollDice } from '../dice.ts'
import { openAttackedWorld, type AttackedWorld } from './attacked-world.ts'
import { bomb, makeGarbage, type Garbage } from './protocol-garbage.ts'
import { readAnswers, sendBytes } from './raw-answers.ts'
import { openTally, sized } from './tally.ts'
import { isCounted, untilCounted } from './until-counted.ts'
import { lookForZeros } from './zeros.ts'

const requests = sized(1_000, 5_000)
const atOnce = 16
const seed = newSeed()
const dice = rollDice(seed)
const tally = openTally('protocol garbage', seed)
let attacked: AttackedWorld

beforeAll(async () => {
  attacked = await openAttackedWorld()
}, 120_000)
afterAll(() => attacked.world.close(), 60_000)

/**
 * Returns true if the attempt counts towards the number of requests that the attack must send. An attempt does not
 * count if a limit of the service refused every request of it. An attempt that ended with a closed connection counts.
 */
function counts(bytes: Buffer): boolean {
  const statuses = [...bytes.toString('latin1').matchAll(/HTTP\/1\.1 ([2-5]\d\d) /g)].map(([, status]) =>
    Number(status),
  )
  return statuses.length === 0 || statuses.some(isCounted)
}

/** Sends the bytes. Returns true if the attempt counts (see `counts`). */
async function attack(garbage: Garbage, index: number): Promise<boolean> {
  const { bytes, end } = await sendBytes(attacked.service.addresses[garbage.target], garbage.pieces, 15_000)
  const said = () =>
    `${index}: ${JSON.stringify(garbage.pieces[0]?.toString('latin1', 0, 300))} → ${end} ` +
    JSON.stringify(bytes.toString('latin1', 0, 400))
  if (end === 'late') tally.breach('Z8', garbage.kind, said())
  try {
    const answers = readAnswers(bytes)
    tally.count(answers.length === 0 ? 'closed' : String(answers[0]?.status))
    for (const { status, headers, body } of answers) {
      if (status >= 500) tally.breach('Z3', garbage.kind, said())
      const { code, message } = JSON.parse(body) as Record<string, unknown>
      const isEnvelope = typeof code === 'string' && typeof message === 'string' && headers.has('x-request-id')
      if (!isEnvelope || (code === 'OK') !== (status === 200)) tally.breach('Z10', garbage.kind, said())
    }
    if (garbage.mustBeRefused && !(answers.length === 1 && answers[0]?.status === 400)) {
      tally.breach('Z10', `${garbage.kind}: read where it should be refused`, said())
    }
  } catch (error) {
    // The service may respond before it has read the whole request. The reset of the connection can then discard the
    // rest of the response.
    if (end !== 'reset') tally.breach('Z10', `${garbage.kind}: ${String(error).slice(0, 60)}`, said())
    else tally.count('reset')
  }
  return counts(bytes)
}

const isWell = async () =>
  (await call(`${attacked.service.addresses.api}/tests`, { token: attacked.everything })).status === 200

it(`answers ${requests} pieces of garbage with the envelope or disconnects`, { timeout: 1_800_000 }, async () => {
  const counted = await untilCounted({
    wanted: requests,
    atOnce,
    next: (_made, missing) => Array.from({ length: missing }, () => makeGarbage(dice, attacked.everything)),
    attack: async (garbage, index) => {
      if (index % 50 === 0) expect(await isWell(), `before ${index}, seed ${seed}`).toBe(true)
      return attack(garbage, index)
    },
  })
  for (const encoding of ['gzip', 'zstd'] as const) {
    const { pieces, target } = bomb(attacked.everything, encoding)
    const { bytes } = await sendBytes(attacked.service.addresses[target], pieces, 60_000, 60_000)
    expect(bytes.toString('latin1', 0, 200), encoding).toMatch(/^HTTP\/1\.1 413 /)
    tally.count('bomb 413')
  }
  expect(await isWell()).toBe(true)
  lookForZeros(tally, attacked.world, [attacked.everything])
  tally.report(counted + 2)
  expect(tally.sorts(), `seed ${seed}`).toEqual([])
})
