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

it('names the missing, unknown and duplicate columns', () => {
  expect(errorsOf('agent_id,dtime,target,rtt_avg,successes,failures,colour,dtime')).toEqual({
    colour: ['This field was not expected.'],
    dtime: ['This field is there twice.'],
  })
  expect(Object.keys(errorsOf('agent_id'))).toContain('dtime')
})

/**
 * A header line of the maximum length has room for a hundred thousand columns. If the check searched a list for each
 * column, it would take minutes.
 */
it.each(['a', 'dtime'])('refuses a hundred thousand columns called %s quickly, with a thousand faults', (name) => {
  const startedAt = runningMs()
  const errors = errorsOf(`agent_id${`,${name}`.repeat(180_000)}`)
  expect(Object.values(errors).flat()).toHaveLength(faultsMax)
  expect(runningMs() - startedAt).toBeLessThan(2_000)
})
