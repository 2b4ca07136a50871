/** How the lines of a technology behave. Fractions refer to the advertised speed; times are medians in milliseconds. */
export type Technology = {
  readonly name: string
  /** Mean and standard deviation, over the lines, of the fraction that a line attains in an hour without load. */
  readonly attained: number
  readonly spread: number
  /** The largest fraction that the network or the modem permits. */
  readonly limit: number
  /** The largest speed of a line, divided by that which it attains: 1 if the network limits every line to the speed of its package. */
  readonly headroom: number
  /** Fraction that an average line loses in the busiest hour of the evening. */
  readonly eveningDip: number
  /** Standard deviation between tests on one line. */
  readonly noise: number
  /** Standard deviation of a line's speed from day to day. */
  readonly drift: number
  /** Standard deviation of the speeds that the modem negotiates whenever it connects; 0 for other technologies. */
  readonly resync: number
  /** Round-trip time of the access line alone. */
  readonly rttMs: number
  readonly jitterMs: number
  readonly loss: number
  /** Rate of failed tests and outages, divided by that of an average line. */
  readonly failures: number
  /** Fraction of lines with IPv6. */
  readonly ipv6: number
}

/** The speed of fibre varies little. The speed of DSL depends on the length of the line. Neighbours share cable and radio. */
export const technologies = [
  {
    name: 'fibre',
    attained: 1.02,
    spread: 0.015,
    limit: 1.09,
    headroom: 1,
    eveningDip: 0.03,
    noise: 0.012,
    drift: 0.08,
    resync: 0,
    rttMs: 3.6,
    jitterMs: 0.4,
    loss: 0.0003,
    failures: 0.35,
    ipv6: 0.6,
  },
  {
    name: 'cable',
    attained: 1.09,
    spread: 0.03,
    limit: 1.15,
    headroom: 1,
    eveningDip: 0.15,
    noise: 0.03,
    drift: 0.075,
    resync: 0,
    rttMs: 9,
    jitterMs: 2.2,
    loss: 0.0008,
    failures: 0.9,
    ipv6: 0.7,
  },
  {
    name: 'vdsl',
    attained: 0.78,
    spread: 0.13,
    limit: 0.97,
    headroom: 1.5,
    eveningDip: 0.05,
    noise: 0.008,
    drift: 0,
    resync: 0.065,
    rttMs: 9.5,
    jitterMs: 0.9,
    loss: 0.001,
    failures: 0.8,
    ipv6: 0.35,
  },
  {
    name: 'adsl',
    attained: 0.58,
    spread: 0.19,
    limit: 0.95,
    headroom: 1.5,
    eveningDip: 0.06,
    noise: 0.012,
    drift: 0,
    resync: 0.075,
    rttMs: 18,
    jitterMs: 1.8,
    loss: 0.002,
    failures: 1.8,
    ipv6: 0.15,
  },
  {
    name: 'fixed wireless',
    attained: 0.86,
    spread: 0.12,
    limit: 1.05,
    headroom: 1.25,
    eveningDip: 0.2,
    noise: 0.08,
    drift: 0.08,
    resync: 0,
    rttMs: 24,
    jitterMs: 3.5,
    loss: 0.002,
    failures: 2.5,
    ipv6: 0.3,
  },
  {
    name: 'satellite',
    attained: 0.8,
    spread: 0.1,
    limit: 1.3,
    headroom: 1.6,
    eveningDip: 0.32,
    noise: 0.12,
    drift: 0.09,
    resync: 0,
    rttMs: 23,
    jitterMs: 5,
    loss: 0.003,
    failures: 3.5,
    ipv6: 0.5,
  },
  // The results of a phone depend mostly on its current connection, which radios.ts describes with its round-trip time.
  {
    name: 'mobile',
    attained: 1,
    spread: 0.1,
    limit: 1.1,
    headroom: 1.1,
    eveningDip: 0.25,
    noise: 0.1,
    drift: 0.06,
    resync: 0,
    rttMs: 0,
    jitterMs: 6,
    loss: 0.003,
    failures: 2.5,
    ipv6: 0.5,
  },
] as const satisfies readonly Technology[]

export type TechnologyName = (typeof technologies)[number]['name']
