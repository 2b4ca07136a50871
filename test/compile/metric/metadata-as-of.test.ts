import { expect, it } from 'vitest'
import { sql } from '../../../src/base/sql.ts'
import {
  customValue,
  ispName,
  packageName,
  spanAsOf,
  spanAttribute,
} from '../../../src/compile/metric/metadata-as-of.ts'
import { shown } from '../shown.ts'

const timeline = (attributes: string): string =>
  `dictGetOrDefault('bg.timeline_recent', ${attributes}, agent, dictGet('bg.timeline', ${attributes}, agent))`

it('takes the span in force on the day of the measurement: the current, the previous, or one of the whole timeline', () => {
  const recent = timeline("('current_from', 'current_span', 'previous_from', 'previous_span')")
  const whole = timeline("('days', 'span_ids')")
  expect(shown(spanAsOf('bg'))).toBe(
    `if(toDate(dtime) >= ${recent}.1, ${recent}.2, if(toDate(dtime) >= ${recent}.3, ${recent}.4, ` +
      `arrayMap(spans -> spans.2[arrayLastIndex(d -> d <= toDate(dtime), spans.1)], [${whole}])[1]))`,
  )
})

it.each(['isp_id', 'package_id', 'zone_id'] as const)('looks up %s of a span, recent spans last', (attribute) => {
  expect(shown(spanAttribute('bg', attribute, sql`span`))).toBe(
    `dictGetOrDefault('bg.spans', '${attribute}', span, dictGet('bg.spans_recent', '${attribute}', span))`,
  )
})

it('looks up a custom value by the field in the upper and the span in the lower 32 bits', () => {
  const key = 'bitOr(bitShiftLeft(toUInt64(9), 32), toUInt64(span))'
  expect(shown(customValue('bg', sql`9`, sql`span`))).toBe(
    `dictGetOrDefault('bg.custom_values', 'value', ${key}, dictGet('bg.custom_values_recent', 'value', ${key}))`,
  )
})

it('shows an ISP by its name, and null where there is none', () => {
  expect(shown(ispName('bg', sql`split1`))).toBe("nullIf(dictGet('bg.isps', 'name', toUInt64(split1)), '')")
})

it('shows a package as <isp>:<package>, and null where there is none', () => {
  const found = "dictGet('bg.packages', ('isp_id', 'name'), toUInt64(split1))"
  expect(shown(packageName('bg', sql`split1`))).toBe(
    `if(split1 = 0, NULL, concat(dictGet('bg.isps', 'name', toUInt64(${found}.1)), ':', ${found}.2))`,
  )
})
