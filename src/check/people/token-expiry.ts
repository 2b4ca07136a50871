const year10000 = Temporal.Instant.from('+010000-01-01T00:00:00Z')

/** From the year 10000 on PostgreSQL writes and reads times in another form than we do. It keeps microseconds, rounded. */
export const isTooFar = (expiry: Temporal.Instant): boolean =>
  Temporal.Instant.compare(expiry.round('microsecond'), year10000) >= 0
