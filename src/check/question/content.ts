/** How to draw the answer of a question. The service draws nothing; interfaces read this. */
export const chartKinds = ['line', 'bar', 'table'] as const

export type Chart = {
  readonly kind: (typeof chartKinds)[number]
  /** The number of each point that the chart shows, such as `metricValue` or `percentiles.95`. */
  readonly statistic: string
}

/** The part of a question that a caller writes. Every change creates a new version of it. */
export type QuestionContent = {
  readonly name: string
  readonly description: string
  /** The body of a request for metric data. */
  readonly request: Readonly<Record<string, unknown>>
  /** Ids of the dimensions that the query string of a run may filter by. */
  readonly parameters: readonly string[]
  /** Null if the question does not say how to draw its answer. */
  readonly chart: Chart | null
  readonly tags: readonly string[]
}

/** The key of a question in URLs. The schema of PostgreSQL has the same pattern. */
export const questionKey = /^[a-z0-9][a-z0-9-]{0,62}$/

export const questionLimits = {
  /** Number of questions of one organisation. `GET /questions` lists all of them. */
  questionsMax: 1_000,
  /** Number of versions of one question: a change every working day for four years. */
  versionsMax: 1_000,
  /** Length of the request as JSON. It is a twentieth of the largest body; a list of thousands of agents does not fit. */
  requestCharactersMax: 64 * 1024,
  nameCharactersMax: 200,
  descriptionCharactersMax: 2_000,
  tagsMax: 20,
  tagCharactersMax: 50,
  parametersMax: 20,
  /** Size of an answer with raw points, which is held in memory: a multiple of the size of 100,000 usual points. */
  rawBytesMax: 32 * 1024 * 1024,
} as const
