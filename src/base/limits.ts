/** Fixed limits of the service, each with its reason. Limits that an operator may change are in the configuration. */
export const limits = {
  /**
   * Size of request line and headers. The longest request line, with a long search and a request id, needs a twentieth of it.
   */
  headerBytesMax: 16 * 1024,
  /** Time for the headers to arrive. Node's default, more than a minute, would allow slow-loris attacks. */
  headersTimeoutMs: 10_000,
  /** Time for the whole request to arrive, including the body. */
  requestTimeoutMs: 30_000,
  /** If the body takes longer than this to arrive, the service authenticates the caller again. */
  identityMsMax: 1_000,
  /** How often Node compares connections with `headersTimeoutMs` and `requestTimeoutMs`. A timeout can be late by this much. */
  connectionsCheckIntervalMs: 1_000,
  /**
   * How long an idle connection stays open. A load balancer closes idle connections after 60 s, and must close first: otherwise
   * it could send a request on a connection that the service has just closed.
   */
  keepAliveTimeoutMs: 65_000,
  /** Body of a console request, which can be unauthenticated. The longest name and password, escaped, need half of it. */
  sessionBodyBytesMax: 32 * 1024,
  /** The name of a custom field has at most 255 characters, and percent-encoding turns each character into at most twelve. */
  pathParameterCharactersMax: 255 * 12 + 'custom.'.length,
  /** Every caller gets the first byte within this time. If the request still runs then, the response is a 503. */
  firstByteTimeoutMs: 30_000,
  /** Deadlines nest: the engine has 25 s for a statement, its client 27 s, and the caller gets the first byte within 30 s. */
  statementTimeoutMs: 25_000,
  clientTimeoutMs: 27_000,
  /** The engine stops a cancelled query between two blocks of rows. If this takes longer, the engine counts as unresponsive. */
  stopTimeoutMs: 3_000,
  /** Limit for a streamed response. The engine has the same limit; this one detects a connection that was lost silently. */
  streamTimeoutMs: 3_600_000,
  /** The service ends a streamed response if the caller reads nothing, or the engine sends nothing, for this long. */
  stallTimeoutMs: 60_000,
  /** If the engine sends nothing for this long, the service flushes the compressor: the caller gets the buffered bytes. */
  compressorFlushMs: 250,
  /**
   * Time limit for a metadata change. Changing a million agents takes longer than a caller can wait for a response: the caller
   * gets a 503 while the change continues. A retry with the same Idempotency-Key gets a 409 while the change runs, and its
   * outcome afterwards.
   */
  changeTimeoutMs: 600_000,
  /** PostgreSQL is unavailable if it accepts no connection for this long, ClickHouse if it answers no ping of a job. */
  connectTimeoutMs: 3_000,
  /** Reading a token or grants takes milliseconds. A store that needs longer than this counts as unavailable. */
  lookupTimeoutMs: 5_000,
  /** Timeout of the readiness check. The probe must wait longer: raise Kubernetes' default of 1 s (5 s is usual). */
  readinessTimeoutMs: 2_000,
  /** Points in one aggregated response: as many as a chart can draw. Larger results need an export. */
  pointsMax: 100_000,
  /** Number of filter values in one response. The default is for a list that a person reads, the maximum for a program. */
  valuesDefault: 20,
  valuesMax: 1_000,
  /** Maximum length of a search text: longer than any search that a person types, and than most values. */
  searchCharactersMax: 255,
  /** How often the job looks for new filter values among new results. */
  valuesRecordMs: 60_000,
  /** Maximum number of attempts for a transaction that ends with a deadlock or a serialization failure. */
  transactionAttemptsMax: 6,
  /** How long the service stores the outcome of a request with an Idempotency-Key. */
  idempotencyHours: 24,
  /** How often the purge job deletes expired rows. */
  purgeMs: 3_600_000,
  /** Number of agents in the response to a dry run: enough to see what the change would do, few enough to read. */
  previewAgentsMax: 10,
  /**
   * How often each instance looks for metadata changes that are not published (the documented maximum is 5 s), and for
   * dictionaries that failed to load.
   */
  dictionaryPollMs: 1_000,
  failedDictionaryPollMs: 3_000,
  /** Loading the dictionaries with ten million agents takes minutes. A load that takes longer than this counts as hung. */
  dictionaryTimeoutMs: 900_000,
  /**
   * If the small dictionaries hold more changes of agents than this, the reconciler compacts them into the large
   * dictionaries. An agent that changed twice counts twice.
   */
  uncompactedChangesMax: 20_000,
  /**
   * If more different agents than this have changed, the reconciler waits for compaction instead of loading the small
   * dictionaries: both would take equally long.
   */
  publishedAgentsMax: 50_000,
  /**
   * Maximum number of changes of agents in the small dictionaries. Each change of an agent adds a span. 500,000 spans load in
   * three seconds.
   */
  publishedChangesMax: 500_000,
  /** The reconciler compacts at least this often, even if only few agents have changed. */
  uncompactedAgeMaxMs: 600_000,
  /** How often an instance writes its call counts. A killed process loses the counts that it has not written. */
  callCountFlushMs: 1_000,
  /** How long call counts are stored: one year, and a month in which the operator can compare them with the year before. */
  callCountDays: 400,
  /** How often query outcomes are written to the audit trail; the documented maximum is 5 s. */
  auditOutcomeFlushMs: 1_000,
  /** Maximum number of audit records, or of freed query slots, that one round trip to PostgreSQL writes. */
  groupedWritesMax: 200,
  /** Number of outcomes in memory while PostgreSQL is unavailable. The oldest are dropped; their audit records are stored. */
  auditOutcomesMax: 100_000,
  /** How long an instance may use the bucket tokens of the rate limit that it has leased. Unused ones are then lost. */
  requestLeaseMs: 1_000,
  /**
   * How long a query waits for a query slot of its API token or organisation, and how often it checks whether another instance
   * has freed a slot. After that it is refused.
   */
  queryWaitMs: 2_000,
  queryPollMs: 250,
  /**
   * How long a query waits for a query slot of the instance. Longer than `queryWaitMs`, because the queries of all callers free
   * these slots. It limits the time to recover from overload.
   */
  capacityWaitMs: 4_000,
  /**
   * Number of queries of one API token that may wait for a query slot. Further queries are refused at once. A waiting query
   * costs less than a refusal to a caller that repeats its request immediately.
   */
  queriesWaitingMax: 128,
  /** Increase of niceness per query that the organisation runs. Niceness 5 gives a third of the CPU time of niceness 0. */
  nicenessPerQuery: 5,
  /**
   * A query keeps its priority while the queries of its organisation read fewer rows than this: on an idle machine such a query
   * takes milliseconds.
   */
  lightQueryRows: 1_000_000,
  /**
   * Duration of the lease of a query slot. The instance renews it three times per lease. If the instance is killed, its slots
   * are free when the lease ends.
   */
  queryLeaseMs: 15_000,
  queryRenewMs: 5_000,
  /** How often `last_used_at` of tokens is written. It serves to find unused tokens, so a delay of ten seconds is harmless. */
  tokenUseFlushMs: 10_000,
  /** Limit for an ingest request: an upload of 64 MB can take minutes, and the rows are stored before the response. */
  ingestTimeoutMs: 600_000,
  /**
   * Maximum size of a text in a result. Names, addresses and URLs are shorter. The limit is necessary because a query that
   * splits by a text column holds the texts in memory: the number of its points is limited, but not their size.
   */
  resultTextBytesMax: 2_048,
  /** Longer values are stored, but not listed as filter values. */
  listedValueBytesMax: 1_000,
  /** Maximum number of different months in one batch: fifty years. Rows may be in any order. */
  batchMonthsMax: 600,
  /** Storing a batch takes a second or two. A batch that takes longer than this counts as hung. */
  batchTimeoutMs: 120_000,
  /** How long a batch belongs to the instance that stores it. The instance renews this lease (docs/internals/ingest.md). */
  batchLeaseMs: 6_000,
  /** How long an ingest request waits while another request stores the same batch, and how often it checks. */
  batchWaitMs: 10_000,
  batchPollMs: 100,
  /**
   * How long an import waits for a batch that another import stores. An import is not retried, so it waits until the lease of a
   * killed import has ended.
   */
  importBatchWaitMs: 60_000,
  /** Time limit for operator commands that scan and repair a whole table. */
  maintenanceTimeoutMs: 3_600_000,
  /** How long the service recognises a batch that is sent a second time. */
  batchDays: 30,
  /**
   * How long the service recognises a batch that has rejected rows, or that is unfinished. Longer than `batchDays`, because the
   * sender can look up the rejected rows.
   */
  rejectedBatchDays: 390,
  /** Number of rows per statement of a bulk import: large enough to be efficient, small enough to show progress. */
  importBatchRows: 10_000,
  /** A bulk import stops after this many faults. One fault is enough to refuse the file. */
  importFaultsMax: 20,
} as const

export const ingestLimits = {
  /** Maximum size of a body as received. A larger body is refused before any row is stored. */
  bodyBytesMax: 64 * 1024 * 1024,
  /** Maximum size of a compressed body after it is decompressed. */
  unpackedBytesMax: 512 * 1024 * 1024,
  /**
   * `ratioMax` is the highest compression ratio of a body that decompresses to more than `anyRatioBytesMax`. Synthetic panels
   * reach a ratio of 45 with zstd -19. An outage of a thousand agents, with identical rows, reaches 127 (docs/api.md).
   */
  anyRatioBytesMax: 16 * 1024 * 1024,
  ratioMax: 250,
  /** Base-2 logarithm of the largest window. RFC 9659: `Content-Encoding: zstd` must not need a window of more than 8 MiB. */
  windowLogMax: 23,
  /** Total size of the received bodies that wait to be stored, for all senders together. One organisation may use half. */
  bodiesBytesMax: 256 * 1024 * 1024,
  /** Number of bodies that an instance checks at a time: in total, and per organisation. Each takes a CPU core and 8 MiB. */
  checkSlotsMax: 2,
  checkSlotsOwnMax: 1,
  /**
   * How many bodies an instance stores at the same time: in total, and per organisation. ClickHouse is faster with few batches
   * at a time than with many. Each body takes a decompression window, a batch (33 MiB) and a copy of the batch.
   */
  storeSlotsMax: 4,
  storeSlotsOwnMax: 2,
  /** Number of bytes that are hashed or copied before the event loop continues: about one millisecond. */
  sliceBytes: 256 * 1024,
  /** Size of a batch of rows. ClickHouse inserts a batch as one block, and a few batches fit in memory. */
  batchBytesMax: 32 * 1024 * 1024,
  /** Maximum number of lines in a batch. 32 MiB of lines with two bytes each would take ClickHouse a minute to check. */
  batchLinesMax: 500_000,
  /** Maximum size of a row. No real row is this long, but an unclosed quote turns the rest of a file into one row. */
  rowBytesMax: 1024 * 1024,
  /** Number of rejected rows that are stored for each reason and column of a batch. Further rows are only counted. */
  rejectedRowsKeptMax: 100,
  /** Number of combinations of reason and column per batch. Real batches have few, but a sender can invent column names. */
  rejectionKindsMax: 50,
  /** Maximum stored length of the name of an unknown column. */
  columnCharactersMax: 255,
} as const

export const exportLimits = {
  /** How long a `.csv` request waits for its file (less than `firstByteTimeoutMs`), and how often it checks. */
  waitMs: 25_000,
  waitPollMs: 100,
  /** How often each instance looks for exports that another instance has accepted. */
  pollMs: 1_000,
  /**
   * How often the worker that writes an export renews its lease. When the lease ends, another worker takes over the export.
   * This happens within the documented minute.
   */
  beatMs: 3_000,
  leaseMs: 30_000,
  /** How often the worker reads ClickHouse's progress. It is short because most files take only seconds. */
  progressMs: 500,
  /** An attempt fails if ClickHouse or the object storage is silent for this long. The timeout of the statement is longer. */
  unavailableMs: 30_000,
  /** Number of failed attempts per export, and the delay after the first failure. Each further failure doubles the delay. */
  failuresMax: 5,
  retryMs: 5_000,
  /** ClickHouse's time limit for one file. */
  timeoutMs: 3_600_000,
  /** How long a download link works. Each request for the export returns a new link. */
  linkSeconds: 3_600,
  /** How often the worker deletes files that no caller can request any more. */
  sweepMs: 600_000,
} as const

export const rollupLimits = {
  /** Minimum age in days of a day that is rolled up. Callers can change the metadata of the last 28 days. */
  ageDays: 30,
  /** How often the job looks for late results and for days without a rollup. */
  recordMs: 60_000,
  /**
   * A node sets the `ingested_at` of a row before it stores the row. After this time, every row with an earlier `ingested_at`
   * is stored.
   */
  quietMs: 900_000,
  /** How much of `quietMs` is reserved for differences between clocks. The rest is for rows that are being stored. */
  clockLossMaxMs: 450_000,
  /** When a build of a rollup was replaced this long ago, no running query reads it any more. */
  deadMs: 600_000,
} as const

/** Limits for users, and for attackers who try to sign in as a user. */
export const peopleLimits = {
  /**
   * Number of failed sign-ins from one network, with any user name. Further sign-ins from this network are refused. The number
   * refills within `signInRefillMs`. A whole office can be one network.
   */
  signInsByNetworkMax: 50,
  /** Number of failed sign-ins with one user name from one network. */
  signInsByNameAndNetworkMax: 10,
  /**
   * Number of failed sign-ins with one user name from all networks. It limits guessing from many addresses. It is higher than
   * three times the limit per network: if three networks have used their 10 attempts, a fourth network still has its own 10.
   */
  signInsByNameMax: 40,
  /** Number of failed sign-ins from one known device. Attempts from unknown devices do not count towards it. */
  signInsByDeviceMax: 10,
  /** Number of successful sign-ins of one user in `signInRefillMs`. Each creates a session, a token and an event. */
  signInsByUserMax: 20,
  signInRefillMs: 900_000,
  /** Maximum number of live sessions per user. The PostgreSQL schema contains the same number. */
  sessionsMax: 20,
  /** 400 days: browsers do not store a cookie for longer. */
  deviceCookieSeconds: 34_560_000,
  /**
   * Number of password hashes that an instance computes at the same time, and number of further requests that may wait. A hash
   * takes 46 MiB and one of the four threads of libuv, which DNS look-ups and file access also use. Known devices have a queue
   * of their own, so unknown devices cannot block them.
   */
  passwordChecksAtOnceMax: 1,
  passwordChecksWaitingMax: 20,
  /**
   * Minimum length of passwords that users choose; issued passwords are longer. The maximum limits how much text is hashed.
   */
  passwordCharactersMin: 12,
  credentialCharactersMax: 1_024,
  /** A session's API token expires this long after the console has last renewed it. */
  sessionTokenMs: 900_000,
  /** How long the list of sessions shows an ended session. */
  sessionsKeptDays: 30,
  /** How long the event log of users is stored: one year, and the year in which that year is audited. */
  eventsKeptYears: 2,
  /** Maximum length of the description of an API token. */
  labelCharactersMax: 200,
  /** Number of valid tokens that users of an organisation can create, and of tokens in a list. A program needs one token. */
  tokensMax: 1_000,
} as const
