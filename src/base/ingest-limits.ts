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
