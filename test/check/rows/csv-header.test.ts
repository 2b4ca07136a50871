import { expect, it } from 'vitest'
import { Fault } from '../../../src/base/fault.ts'
import { catalog } from '../../../src/catalog/catalog.ts'
import { checkCsvHeader } from '../../../src/check/rows/csv-header.ts'
import { faultsMax } from '../../../src/check/field-faults.ts'
import { runningMs } from '../../kit/running-time.ts'

const ping = catalog.tests.find(({ key }) => key === 'ping')

function errorsOf(line: string): Record<string, readonly string[]> {
  if (ping === undefined) throw new Error('there is no such test')
  try {
    checkCsvHeader(line, ping)
  } catch (error) {
    if (error instanceof Fault) return { ...error.errors }
    throw error
  }
  return {}
}

it('names the columns that are missing, unknown or there twice', () => {
  expect(errorsOf('agent_id,dtime,target,rtt_avg,successes,failures,colour,dtime')).toEqual({
    colour: ['This field was not expected.'],
    dtime: ['This field is there twice.'],
  })
  expect(Object.keys(errorsOf('agent_id'))).toContain('dtime')
})

/** A line has room for so many. Looking for each among all, and copying what is known of them, took minutes. */
it.each(['a', 'dtime'])('refuses a hundred thousand columns called %s at once, by a thousand faults', (name) => {
  const startedAt = runningMs()
  const errors = errorsOf(`agent_id${`,${name}`.repeat(180_000)}`)
  expect(Object.values(errors).flat()).toHaveLength(faultsMax)
  expect(runningMs() - startedAt).toBeLessThan(2_000)
})
