/** The rules that an implementation is most likely to get wrong. A test replaces each of them by a wrong rule. */
export type Rules = {
  /** True if a test without a success is a sample. It must have a value in any case. */
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
  /** What `ci…` is if the request does not say it. */
  intervals: 'agents' | 'results'
  interval: 't' | 'plain z'
  variance: 'jackknife' | 'without factor' | 'linearised'
  degreesOfFreedom: 'effective' | 'rounded down' | 'of agents'
  /** What an agent's weight in a share is a sum of. */
  agentWeights: 'denominators' | 'rows'
  /** What the hours of a block do if the block has no row without an agent. */
  emptiedBlocks: 'drop out' | 'stay'
  extremeShares: 'far limit' | 'no width'
  /** Which number of agents `few_agents` is about. */
  fewAgents: 'effective' | 'counted'
  fewFailures: 'of agents' | 'of results' | 'missing'
  percentileIntervals: 'around the level' | 'around the found share'
  /** True if `uncertainty` describes the intervals that were requested, and not always the agents' ones. */
  uncertaintyOfResults: boolean
  cautionOfResults: boolean
  /** How agents count in points about agents. */
  agentsCount: 'equally' | 'by results'
  /** Which rows determine the weights of a normalised statistic of an agent. */
  agentWeightsOf: 'its own rows' | 'the point'
  minimumResults: 'leaves out' | 'is ignored'
  upperRank: 'after the quantile' | 'at the quantile'
  reachingBounds: 'exact' | 'Wald'
  /** What a day means as the end of a range. */
  dayAsEnd: 'its last second' | 'its first second'
  /** What the period is in which the range begins. */
  cutBeginning: 'partial' | 'whole'
  /** The second that the range must reach so that a period is whole. */
  wholeUntil: 'its last second' | 'the next period'
  /** Which speed of the package a value is relative to. */
  planSpeed: 'as of the result' | 'current' | 'until the next day with an import'
  /** What happens to results whose plan is not known. */
  withoutPlan: 'are counted' | 'are not counted'
  /** The clock of a window. */
  windowClock: 'local' | 'UTC'
  /** What a window does in a request that splits or filters by `peak`. */
  windowWithPeak: 'defines peak' | 'filters too'
  /** Which hours of a block count if a request keeps only some hours of the week. */
  hoursOfBlocks: 'that are kept' | 'all'
  /** What `wholePeriods` does to the range. */
  wholePeriods: 'narrows' | 'is ignored'
  /** What happens to a point of which the explained prefilter excludes every result. */
  emptiedPoints: 'stay' | 'are left out'
  /** Which results `alone` of a prefilter rule counts. */
  alone: 'without other rules' | 'as matched' | 'first of the list'
  /** The weights of the value without the prefilter. */
  unfilteredValue: 'as the value' | 'never normalised'
  agentsLost: 'without results' | 'with fewer results'
  /** Which rules `removedBy` of a raw point lists. */
  removedBy: 'all' | 'the first'
  /** The days on which coverage expects an agent. */
  expectedUntil: 'its last day' | 'the last day of the series'
  /** The agents that coverage expects in a point. */
  expectedIn: 'its series' | 'its points'
  /** What coverage calls a day. */
  coveredDays: 'local' | 'UTC'
  blocksSeen: 'distinct' | 'results'
  /** Whether coverage counts results that the prefilter excludes. */
  covered: 'kept results' | 'all results'
  agentsGone: 'before the point' | 'in the point or before'
  late: 'more than a day' | 'a day or more'
  /** How the p-values of a response are adjusted. */
  adjustment: 'Holm' | 'Bonferroni' | 'none'
  /** What the verdict does with agents that are on both sides. */
  sharedAgents: 'are paired' | 'are independent'
  /** The part of the range of the base that a point is compared with. */
  baseBuckets: 'at the same place' | 'with the same label'
  /** The agents that a comparison with `match` has. */
  matchedAgents: 'on both sides' | 'all'
  /** Where a value counts that is equal to the last of several edges of a histogram. */
  lastEdge: 'is in the last bin' | 'is above the bins'
  /** What `not` makes of a condition on a missing value. */
  negatedMissing: 'is true' | 'is unknown'
  /** Whether a value that is an empty text is there. */
  emptyText: 'is set' | 'is missing'
  textCase: 'matters' | 'is ignored'
  /** The text of a package. */
  packageText: 'with the ISP' | 'without the ISP'
  patterns: 'match anywhere' | 'match the whole text'
  /** Whether the bound itself passes the filters `at_least` and `at_most`. */
  bounds: 'as named' | 'never pass'
  numbers: 'by value' | 'by text'
  /** Which hours of a block count if groups of filters restrict the hours. */
  hoursOfGroups: 'that can match' | 'all'
  /** What a condition of `having` does with a point that does not have the number. */
  havingNull: 'fails' | 'takes it as 0'
  /** Whether the bound itself meets `atLeast` and `atMost`. */
  havingBounds: 'as named' | 'never meet'
  /** Where points without a value are in descending order. */
  orderOfNull: 'last' | 'first if descending'
  /** By what the top combinations are ranked. */
  topBy: 'the whole range' | 'the sum of the points'
  /** Whose top combinations a metric shows if there are several metrics. */
  topOf: 'the metric' | 'the first metric'
  /** Which results the series of the other combinations has. */
  others: 'of the rest' | 'of all'
  /** Which results totals have if only the top combinations are shown. */
  totals: 'of all series' | 'of the shown series'
  /** Whether periods that the window and filters by local time leave out get a point. */
  emptyHours: 'that can match' | 'all'
  /** The periods without results that get a point. */
  emptyBuckets: 'of the range' | 'between points'
  /** The order of equal points. */
  ties: 'by splits and period' | 'turn around too'
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
  intervals: 'agents',
  interval: 't',
  variance: 'jackknife',
  degreesOfFreedom: 'effective',
  agentWeights: 'denominators',
  emptiedBlocks: 'drop out',
  extremeShares: 'far limit',
  fewAgents: 'effective',
  fewFailures: 'of agents',
  percentileIntervals: 'around the level',
  uncertaintyOfResults: false,
  cautionOfResults: false,
  agentsCount: 'equally',
  agentWeightsOf: 'its own rows',
  minimumResults: 'leaves out',
  upperRank: 'after the quantile',
  reachingBounds: 'exact',
  dayAsEnd: 'its last second',
  cutBeginning: 'partial',
  wholeUntil: 'its last second',
  windowClock: 'local',
  windowWithPeak: 'defines peak',
  hoursOfBlocks: 'that are kept',
  wholePeriods: 'narrows',
  emptiedPoints: 'stay',
  alone: 'without other rules',
  unfilteredValue: 'as the value',
  agentsLost: 'without results',
  removedBy: 'all',
  expectedUntil: 'its last day',
  expectedIn: 'its series',
  coveredDays: 'local',
  blocksSeen: 'distinct',
  covered: 'kept results',
  agentsGone: 'before the point',
  late: 'more than a day',
  lastEdge: 'is in the last bin',
  adjustment: 'Holm',
  sharedAgents: 'are paired',
  baseBuckets: 'at the same place',
  matchedAgents: 'on both sides',
  planSpeed: 'as of the result',
  withoutPlan: 'are counted',
  negatedMissing: 'is true',
  emptyText: 'is set',
  textCase: 'matters',
  packageText: 'with the ISP',
  patterns: 'match anywhere',
  bounds: 'as named',
  numbers: 'by value',
  hoursOfGroups: 'that can match',
  havingNull: 'fails',
  havingBounds: 'as named',
  orderOfNull: 'last',
  topBy: 'the whole range',
  topOf: 'the metric',
  others: 'of the rest',
  totals: 'of all series',
  emptyHours: 'that can match',
  emptyBuckets: 'of the range',
  ties: 'by splits and period',
}
