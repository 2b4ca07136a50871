/** The time, as an argument: whoever needs it is given it. */
export type Clock = () => Temporal.Instant
