/** The rules an implementation gets wrong most easily, so that wrong ones can be put in their place. */
export type Rules = {
  /** Whether a test without a success is a sample when it has a value. */
  failedTestsCount: boolean
  toIncluded: boolean
  metadata: 'as of the result' | 'current'
  daylightSaving: 'followed' | 'ignored'
  weekStartsOn: 'Monday' | 'Sunday'
  deviation: 'population' | 'sample' | 'from squares'
  percentiles: 'type 7' | 'type 6'
  ratio: 'of sums' | 'mean of ratios'
  weights: 'used' | 'ignored' | 'of whole blocks'
  agentCount: 'agents' | 'rows'
  secondsOfRange: 'whole' | 'with milliseconds'
  excludeKeepsNull: boolean
  nullOperandExcludes: boolean
  ispNames: 'before ids' | 'after ids'
  textOrder: 'bytes' | 'UTF-16'
  lossRulesForLoss: boolean
}

export const rightRules: Rules = {
  failedTestsCount: false,
  toIncluded: true,
  metadata: 'as of the result',
  daylightSaving: 'followed',
  weekStartsOn: 'Monday',
  deviation: 'population',
  percentiles: 'type 7',
  ratio: 'of sums',
  weights: 'used',
  agentCount: 'agents',
  secondsOfRange: 'whole',
  excludeKeepsNull: true,
  nullOperandExcludes: false,
  ispNames: 'before ids',
  textOrder: 'bytes',
  lossRulesForLoss: false,
}
