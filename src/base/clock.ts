/** Returns the current time. Functions take the clock as an argument, so that tests control the time. */
export type Clock = () => Temporal.Instant
