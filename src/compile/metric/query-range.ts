import type { AuditRange } from '../../base/audit.ts'
import type { Days } from '../../check/metric/test-date.ts'
import type { MetricPlan } from './metric-plan.ts'

/** What a metric request asks for, on the agents' own clocks. */
export const localRange = ({ from, to }: Pick<MetricPlan, 'from' | 'to'>): AuditRange => ({
  clock: 'agent-local',
  from: wallClock(from),
  to: wallClock(to),
})

/** What a request for records asks for: whole UTC days. */
export const dayRange = ({ first, last }: Days): AuditRange => ({
  clock: 'utc',
  from: `${first.toString()}T00:00:00`,
  to: `${last.toString()}T23:59:59`,
})

const wallClock = (seconds: number): string =>
  Temporal.Instant.fromEpochMilliseconds(seconds * 1000)
    .toString({ smallestUnit: 'second' })
    .replace('Z', '')
