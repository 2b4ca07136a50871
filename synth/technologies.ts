/** How lines of a technology behave. Shares are of the advertised speed; times are medians in milliseconds. */
export type Technology = {
  readonly name: string
  /** What lines attain at a quiet hour, and how much lines differ in it. */
  readonly attained: number
  readonly spread: number
  /** What the busiest hour of the evening takes away on an average line. */
  readonly eveningDip: number
  /** How much one test differs from the next on the same line. */
  readonly noise: number
  readonly rttMs: number
  readonly jitterMs: number
  readonly loss: number
  /** Share of lines that have IPv6. */
  readonly ipv6: number
}

/** Fibre is tight, DSL depends on the length of the line, cable and radio are shared with the neighbours. */
export const technologies = [
  {
    name: 'fibre',
    attained: 1,
    spread: 0.015,
    eveningDip: 0.02,
    noise: 0.012,
    rttMs: 6,
    jitterMs: 0.4,
    loss: 0.0003,
    ipv6: 0.6,
  },
  {
    name: 'cable',
    attained: 1.05,
    spread: 0.03,
    eveningDip: 0.18,
    noise: 0.03,
    rttMs: 14,
    jitterMs: 2.2,
    loss: 0.0008,
    ipv6: 0.7,
  },
  {
    name: 'vdsl',
    attained: 0.78,
    spread: 0.13,
    eveningDip: 0.05,
    noise: 0.02,
    rttMs: 18,
    jitterMs: 0.9,
    loss: 0.001,
    ipv6: 0.35,
  },
  {
    name: 'adsl',
    attained: 0.58,
    spread: 0.19,
    eveningDip: 0.06,
    noise: 0.03,
    rttMs: 27,
    jitterMs: 1.8,
    loss: 0.002,
    ipv6: 0.15,
  },
  {
    name: 'fixed wireless',
    attained: 0.74,
    spread: 0.14,
    eveningDip: 0.28,
    noise: 0.08,
    rttMs: 32,
    jitterMs: 5,
    loss: 0.004,
    ipv6: 0.3,
  },
  {
    name: 'satellite',
    attained: 0.8,
    spread: 0.1,
    eveningDip: 0.38,
    noise: 0.12,
    rttMs: 46,
    jitterMs: 9,
    loss: 0.009,
    ipv6: 0.5,
  },
  // Phones: what they measure depends on the radio of the moment instead, see radios.ts.
  {
    name: 'mobile',
    attained: 1,
    spread: 0.1,
    eveningDip: 0.25,
    noise: 0.1,
    rttMs: 38,
    jitterMs: 6,
    loss: 0.003,
    ipv6: 0.5,
  },
] as const satisfies readonly Technology[]

export type TechnologyName = (typeof technologies)[number]['name']
