import { expect, it } from 'vitest'
import { sql } from '../../../src/base/sql.ts'
import {
  customValue,
  ispName,
  packageName,
  planSpeedAsOf,
  spanAsOf,
  spanAttribute,
} from '../../../src/compile/metric/metadata-as-of.ts'
import { shown } from '../shown.ts'

const timeline = (attributes: string): string =>
  `dictGetOrDefault('bg.timeline_recent', ${attributes}, agent, dictGet('bg.timeline', ${attributes}, agent))`

it('uses the span valid on the day of the measurement: the current, the previous, or one of the whole timeline', () => {
  const recent = timeline("('current_from', 'current_span', 'previous_from', 'previous_span')")
  const whole = timeline("('days', 'span_ids')")
  expect(shown(spanAsOf('bg'))).toBe(
    `if(toDate(dtime) >= ${recent}.1, ${recent}.2, if(toDate(dtime) >= ${recent}.3, ${recent}.4, ` +
      `arrayMap(spans -> spans.2[arrayLastIndex(d -> d <= toDate(dtime), spans.1)], [${whole}])[1]))`,
  )
})

it.each(['isp_id', 'package_id', 'zone_id'] as const)('looks up %s of a span, recent spans last', (attribute) => {
  expect(shown(spanAttribute('bg', attribute, sql`span`))).toBe(
    `arrayMap(k -> dictGetOrDefault('bg.spans', '${attribute}', k, dictGet('bg.spans_recent', '${attribute}', k)), [span])[1]`,
  )
})

it('looks up a custom value by the field in the upper and the span in the lower 32 bits', () => {
  const key = 'bitOr(bitShiftLeft(toUInt64(9), 32), toUInt64(span))'
  expect(shown(customValue('bg', sql`9`, sql`span`))).toBe(
    `arrayMap(k -> dictGetOrDefault('bg.custom_values', 'value', k, dictGet('bg.custom_values_recent', 'value', k)), [${key}])[1]`,
  )
})

it('uses the speed of a package on the day of the measurement: the current, or one of the whole history', () => {
  const speeds = (attributes: string): string => `dictGet('bg.package_speeds', ${attributes}, toUInt64(p))`
  const current = speeds("('current_from', 'current_upload')")
  expect(shown(planSpeedAsOf('bg', 'upload', sql`p`))).toBe(
    `if(toDate(dtime) >= ${current}.1, ${current}.2, ` +
      `arrayMap(history -> history.2[arrayLastIndex(d -> d <= toDate(dtime), history.1)], [${speeds("('days', 'upload')")}])[1])`,
  )
})

it('shows an ISP by its name, and null if there is none', () => {
  expect(shown(ispName('bg', sql`split1`))).toBe("nullIf(dictGet('bg.isps', 'name', toUInt64(split1)), '')")
})

it('shows a package as <isp>:<package>, and null if there is none', () => {
  const found = "dictGet('bg.packages', ('isp_id', 'name'), toUInt64(split1))"
  expect(shown(packageName('bg', sql`split1`))).toBe(
    `if(split1 = 0, NULL, concat(dictGet('bg.isps', 'name', toUInt64(${found}.1)), ':', ${found}.2))`,
  )
})
