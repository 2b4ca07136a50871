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
  /** How often expired rows are removed. */
  purgeMs: 3_600_000,
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
  /** Audit records, or query slots given back, that one round trip to PostgreSQL takes. */
  groupedWritesMax: 200,
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
  /**
   * Of each query of an organisation from the third at once on: nine gives a thread a seventh of the processor time of one
   * without. The second has none, or light queries that overlap would compete with the heavy ones of others.
   */
  nicenessPerQuery: 9,
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
  /** How long one with rejected rows is known, whose senders may ask for them; and one that was never finished. */
  rejectedBatchDays: 390,
  /** Rows per statement of a bulk import: large enough to be cheap, small enough to show progress. */
  importBatchRows: 10_000,
  /** Faults of a bulk import listed before it gives up; nobody reads more, and the file is refused anyway. */
  importFaultsMax: 20,
} as const

/** Numbers that bound what ingest requests take. */
export const ingestLimits = {
  /** Of one body, as it arrives and when it is unpacked; more is refused before anything of it is stored. */
  bodyBytesMax: 64 * 1024 * 1024,
  unpackedBytesMax: 512 * 1024 * 1024,
  /**
   * A body that unpacks to more than the first may unpack to so many times its size: synthetic panels reach 45 by zstd -19,
   * an outage of a thousand agents in which every row says the same reaches 127 (docs/api.md).
   */
  anyRatioBytesMax: 16 * 1024 * 1024,
  ratioMax: 250,
  /** RFC 9659: a sender of `Content-Encoding: zstd` must not need a window of more than 8 MiB. */
  windowLogMax: 23,
  /** Bodies that have arrived and wait, of all senders together; one organisation may have half. */
  bodiesBytesMax: 256 * 1024 * 1024,
  /** Bodies an instance checks at a time, and those of one organisation. Each takes a processor and a window of 8 MiB. */
  checkSlotsMax: 2,
  checkSlotsOwnMax: 1,
  /**
   * Bodies it stores at a time, and those of one organisation. The engine is quicker with few batches than with many, and each
   * takes a window, a batch (33 MiB) and a copy of it.
   */
  storeSlotsMax: 4,
  storeSlotsOwnMax: 2,
  /** Bytes of a body that are hashed or copied in one go: about a millisecond of the event loop. */
  sliceBytes: 256 * 1024,
  /** Rows are stored in batches of about this many bytes: one block of the engine each, and a few of them in memory. */
  batchBytesMax: 32 * 1024 * 1024,
  /** And of no more lines than this: judging lines of two bytes takes the engine a minute for as many bytes. */
  batchLinesMax: 500_000,
  /** No honest row is this long; an unclosed quote makes one of all that follows. */
  rowBytesMax: 1024 * 1024,
  /** Rejected rows kept of a batch, for each reason and column; the others are counted. */
  rejectedRowsKeptMax: 100,
  /** Reasons and columns told apart in a batch: an honest one has a handful, and names of columns can be made up. */
  rejectionKindsMax: 50,
  /** Of the name of a column the test does not have. */
  columnCharactersMax: 255,
} as const

/** Numbers that bound how files are written, each with its reason. */
export const exportLimits = {
  /** How long a `.csv` request waits for its file, inside the 30 s to the first byte, and how often it looks. */
  waitMs: 25_000,
  waitPollMs: 100,
  /** How often each copy of the service looks for exports that somebody else has taken in. */
  pollMs: 1_000,
  /** Whoever writes an export says so this often; after the lease it is given to somebody else, within the minute promised. */
  beatMs: 3_000,
  leaseMs: 30_000,
  /** How often the engine is asked how far it is: most files are written in seconds. */
  progressMs: 500,
  /** An engine or a storage that has not answered for this long ends the attempt: statements wait for it much longer. */
  awayMs: 30_000,
  /** Attempts of one export that may fail, and the pause after the first of them, which doubles. */
  failuresMax: 5,
  retryMs: 5_000,
  /** The engine's own limit for one file. */
  timeoutMs: 3_600_000,
  /** How long a link works; the next reading of the export gives a new one. */
  linkSeconds: 3_600,
  /** How often what nobody can ask for any more is removed from the storage. */
  sweepMs: 600_000,
} as const

/** Numbers that bound the sums of old days, each with its reason. */
export const rollupLimits = {
  /** A day is put together once it is over for this long: callers can change the metadata of the last 28 days. */
  ageDays: 30,
  /** How often late results are looked for, and days that are not put together. */
  noteMs: 60_000,
  /** Rows are stamped before they are stored, by the clock of any node; after this long they are there. */
  quietMs: 900_000,
  /** Of that, what a clock may have lost: the rest is for rows under way. */
  clockLossMaxMs: 450_000,
  /** Nobody asks a build any more that was replaced this long ago. */
  deadMs: 600_000,
} as const

/** Numbers that bound what people, and whoever passes for them, can do; each with its reason. */
export const peopleLimits = {
  /** Failed sign-ins, each refilled in the time below. Of a network over all names; an office is one network. */
  signInsByNetworkMax: 50,
  /** Of a name from one network. */
  signInsByNameAndNetworkMax: 10,
  /** Of a name over all networks: bounds distributed guessing. Three networks that use up theirs leave a fourth its own. */
  signInsByNameMax: 40,
  /** Of a known device, whatever strangers do. */
  signInsByDeviceMax: 10,
  /** Successful ones of a user: each leaves a session, a token and an event behind. */
  signInsByUserMax: 20,
  signInRefillMs: 900_000,
  /** Live sessions of a user; PostgreSQL has the same number. */
  sessionsMax: 20,
  /** Browsers keep no cookie longer than 400 days. */
  deviceCookieSeconds: 34_560_000,
  /**
   * A password hash takes 46 MiB and one of the four threads that name look-ups and files need too: so many at once in one
   * instance, and so many more wait; once for strangers and once for known devices, which strangers must not crowd out.
   */
  passwordChecksAtOnceMax: 1,
  passwordChecksWaitingMax: 20,
  /** What the operator issues is longer; this is for passwords people choose. Longer texts are no passwords. */
  passwordCharactersMin: 12,
  credentialCharactersMax: 1_024,
  /** A session's token ends this long after the console last asked to renew it. */
  sessionTokenMs: 900_000,
  /** A session that is over tells when it was last used, as long as anybody may ask. */
  sessionsKeptDays: 30,
  /** The record of who did what: a year under audit, and the one in which it is audited. */
  eventsKeptYears: 2,
  /** What a token is for, in a list. */
  labelCharactersMax: 200,
  /** Of an organisation: those that work, by its people's own making; and as many are listed. A program needs one. */
  tokensMax: 1_000,
} as const
