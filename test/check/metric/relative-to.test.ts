import { expect, it } from 'vitest'
import { Fault } from '../../../src/base/fault.ts'
import { FieldFaults } from '../../../src/check/field-faults.ts'
import { checkRelativeTo } from '../../../src/check/metric/relative-to.ts'
import { metricOf, visible } from '../../compile/plans.ts'

function checked(metric: string, relativeTo: unknown): unknown {
  const faults = new FieldFaults()
  const request = checkRelativeTo({ relativeTo }, [metricOf(metric)], visible, faults)
  try {
    faults.throwIfAny()
  } catch (error) {
    return error instanceof Fault ? { ...error.errors, choices: error.details?.['relativeTo']?.choices } : error
  }
  return request
}

const speeds = ['httpget', 'httpget_single', 'httpget_multi', 'httppost', 'httppost_single', 'httppost_multi'].concat([
  'mobileDownload',
  'mobileUpload',
])

it.each(speeds)('accepts %s relative to the plan', (metric) => {
  expect(checked(metric, 'plan')).toEqual({ relativeTo: 'plan' })
})

it.each(['latency', 'packetLoss', 'httpget_retrans', 'netflixBitrate'])(
  'refuses %s, and names the speeds',
  (metric) => {
    const message = ['Packages have no speed for this metric.']
    expect(checked(metric, 'plan')).toEqual({ relativeTo: message, choices: expect.arrayContaining(speeds) as unknown })
  },
)

it('is absent if it is null, and has no other choice than plan', () => {
  expect(checked('latency', null)).toEqual({})
  expect(checked('latency', undefined)).toEqual({})
  const message = ['The value you selected is not a valid choice.']
  expect(checked('httpget', 'package')).toEqual({ relativeTo: message, choices: ['plan'] })
  expect(checked('httpget', true)).toMatchObject({ relativeTo: ['This value should be of type string.'] })
})
