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
