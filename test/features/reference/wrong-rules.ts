import { rightRules, type Rules } from './model/rules.ts'

const butFor = (wrong: Partial<Rules>): Rules => ({ ...rightRules, ...wrong })

/** Implementations that have one rule wrong each: what the comparison must be able to see. */
export const wrongRules: Record<string, Rules> = {
  'sample instead of population deviation': butFor({ deviation: 'sample' }),
  'percentiles of type 6': butFor({ percentiles: 'type 6' }),
  'no correction for daylight saving': butFor({ daylightSaving: 'ignored' }),
  'current metadata instead of that of the moment': butFor({ metadata: 'current' }),
  'a mean of ratios': butFor({ ratio: 'mean of ratios' }),
  'the end of the range is left out': butFor({ toIncluded: false }),
  'weights are ignored': butFor({ weights: 'ignored' }),
  'weeks start on Sunday': butFor({ weekStartsOn: 'Sunday' }),
  'rows are counted instead of agents': butFor({ agentCount: 'rows' }),
  'failed tests count': butFor({ failedTestsCount: true }),
  'the deviation is taken from squares': butFor({ deviation: 'from squares' }),
  'blocks weigh all their hours in a bucket that has some of them': butFor({ weights: 'of whole blocks' }),
  'the range is compared to the millisecond': butFor({ secondsOfRange: 'with milliseconds' }),
  'exclude drops what has no value': butFor({ excludeKeepsNull: false }),
  'a null operand excludes': butFor({ nullOperandExcludes: true }),
  'ids go before names': butFor({ ispNames: 'after ids' }),
  'text is sorted as UTF-16': butFor({ textOrder: 'UTF-16' }),
  'loss is prefiltered by loss': butFor({ lossRulesForLoss: true }),
}
