/** Numbers that bound the service, each with its reason. What an operator may change is in the configuration instead. */
export const limits = {
  /** A request line with a long search and a 64-character request id fits twenty times over. */
  headerBytesMax: 16 * 1024,
  /** Slow-loris: Node's own default leaves a half-sent header open for more than a minute. */
  headersTimeoutMs: 10_000,
  /** A whole request, body included, must have arrived by then. */
  requestTimeoutMs: 30_000,
  /** Whoever takes longer than this to send a body is looked up again when it is there. */
  identityMsMax: 1_000,
  /** How often Node looks for connections past the two limits above; their precision. */
  connectionsCheckIntervalMs: 1_000,
  /** Longer than the 60 s a load balancer keeps idle connections, so that it, not we, closes them. */
  keepAliveTimeoutMs: 65_000,
  /** Of requests people send from the console, most of all those of strangers: twice the longest name and password, escaped. */
  sessionBodyBytesMax: 32 * 1024,
  /** The name of a custom field may have 255 characters, twelve of an address each when percent-encoded. */
  pathParameterCharactersMax: 255 * 12 + 'custom.'.length,
  /** Promised to every caller; whatever is still at work then is answered for with 503. */
  firstByteTimeoutMs: 30_000,
  /** Deadlines nest: engine 25 s < client 27 s < 30 s to the first byte. */
  statementTimeoutMs: 25_000,
  clientTimeoutMs: 27_000,
  /** A query told to stop does so between two blocks of rows; longer, and the engine is not listening. */
  stopTimeoutMs: 3_000,
  /** The engine's own limit for answers that stream, in its profile; here for a connection that has died silently. */
  streamTimeoutMs: 3_600_000,
  /** A caller who takes nothing of a streamed answer for this long is cut off, and so is one whom the engine sends nothing. */
  stallTimeoutMs: 60_000,
  /** Bytes a compressor holds back are sent on when nothing has followed them for this long. */
  compressorFlushMs: 250,
  /**
   * A change of a million agents takes longer than an answer may. The caller then has its 503, the change goes on, and
   * asking again with the same Idempotency-Key tells: 409 while it runs, and then its outcome.
   */
  changeTimeoutMs: 600_000,
  /** A connection that is not there in 3 s is not coming: the caller learns it early instead of at 30 s. */
  connectTimeoutMs: 3_000,
  /** Looking up a token or grants is milliseconds of work; a store that needs longer is as good as away. */
  lookupTimeoutMs: 5_000,
  /** Readiness must answer faster than the prober's own time limit (Kubernetes: 1 s by default, 5 s usual). */
  readinessTimeoutMs: 2_000,
  /** Points of one aggregated answer: what a chart can draw and a browser can hold. Larger ones are for exports. */
  pointsMax: 100_000,
  /** Values of a filter in one answer: what a person looks through; and what a program may ask for. */
  valuesDefault: 20,
  valuesMax: 1_000,
  /** Longer than what anybody types, and than most values. */
  searchCharactersMax: 255,
  /** How often facts that have come since are gone through for new values. */
  valuesNoteMs: 60_000,
  /** A deadlock or serialization failure is tried again this often in all. */
  transactionAttemptsMax: 6,
  /** How long the first outcome of a request with an Idempotency-Key is kept. */
  idempotencyHours: 24,
  /** How often what has had its time is removed. */
  housekeepingMs: 3_600_000,
  /** Agents shown by a dry run: enough to see what a change would do, few enough to read. */
  previewAgentsMax: 10,
  /** How often each copy looks for changes the engine has not been told of (5 s are promised), and for what it failed to load. */
  dictionaryPollMs: 1_000,
  failedDictionaryPollMs: 3_000,
  /** Loading ten million agents takes minutes; a load that takes longer than this has hung. */
  dictionaryTimeoutMs: 900_000,
  /** More changed agents than this in the small dictionaries, and the large ones take them over. */
  unsettledAgentsMax: 20_000,
  /** More than this are not put into the small ones at all: loading them would take as long as the large ones. */
  toldAgentsMax: 50_000,
  /** An agent that was changed often counts once, but has a span for each time: so many take three seconds to load. */
  toldChangesMax: 500_000,
  /** However few: after this long the large dictionaries take them over. */
  unsettledAgeMaxMs: 600_000,
  /** Counts of calls are written this often; what a killed process had not written is lost. */
  callCountFlushMs: 1_000,
  /** And are kept for a year and the month after it, in which it is compared. */
  callCountDays: 400,
  /** How often outcomes are written to the audit trail: 5 s are promised. */
  auditOutcomeFlushMs: 1_000,
  /** Questions written to the audit trail in one round trip. */
  auditQuestionsMax: 200,
  /** Outcomes kept while PostgreSQL is away; more, and the oldest are given up. Their questions are kept. */
  auditOutcomesMax: 100_000,
  /** A copy that took requests for a caller and does not use them within this loses them. */
  requestLeaseMs: 1_000,
  /** How long a query waits for a place before it is refused, and how often it looks whether another copy has one. */
  queryWaitMs: 2_000,
  queryPollMs: 50,
  /** The same for a place in the copy. Longer: what ends is everybody's. Recovery from overload takes little longer than this. */
  capacityWaitMs: 4_000,
  /** Queries of a token that wait, for each that may run; more are refused at once. */
  queriesWaitingPerPlace: 2,
  /** A step of five gives a thread a third of the processor time of one without, where both want it. */
  nicenessPerQuery: 5,
  /** A copy that dies gives back the places of its queries after this; one that lives renews them three times as often. */
  queryLeaseMs: 15_000,
  queryRenewMs: 5_000,
  /** `last_used_at` is for finding stale tokens: ten seconds late spares a write per request. */
  tokenUseFlushMs: 10_000,
  /** 64 MB over a slow line take minutes, and their rows are stored before the answer. */
  deliveryTimeoutMs: 600_000,
  /**
   * Of a text in a result. Names, addresses and URLs are shorter; an answer split by a column has its texts in memory, and
   * its points are bounded by their number alone.
   */
  resultTextBytesMax: 2_048,
  /** Of a value of results, to be listed among those a filter can take. */
  listedValueBytesMax: 1_000,
  /** Months in one batch: fifty years, in any order. */
  batchMonthsMax: 600,
  /** A batch takes a second or two; one that takes longer than this has hung. */
  batchTimeoutMs: 120_000,
  /** How long others leave a batch to whoever began it last, who renews it while alive. Decision 35 says what hangs on it. */
  batchLeaseMs: 6_000,
  /** How long a sender waits for somebody else who is storing the same batch, and how often it is looked for. */
  batchWaitMs: 10_000,
  batchPollMs: 100,
  /** An import has nobody to come back for it: it waits until the lease of an import that was killed has ended. */
  importBatchWaitMs: 60_000,
  /** Looking through and mending a whole table, at an operator's command. */
  maintenanceTimeoutMs: 3_600_000,
  /** How long the same batch is recognised when it is sent again. */
  batchDays: 30,
  /** Rows per statement of a bulk import: large enough to be cheap, small enough to show progress. */
  importBatchRows: 10_000,
  /** Faults of a bulk import listed before it gives up; nobody reads more, and the file is refused anyway. */
  importFaultsMax: 20,
} as const
