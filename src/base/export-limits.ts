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
