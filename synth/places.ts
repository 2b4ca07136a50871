/** Where agents are; `share` is the part of the panel that lives there. */
export type Place = {
  readonly region: string
  readonly country: string
  readonly zone: string
  readonly share: number
  /** Round trip to the nearest test servers, beyond the access line. */
  readonly distanceMs: number
}

/** Most in one zone as a nation has it, and the rest wherever clocks are hard: no DST, quarter hours, half an hour of DST. */
export const places: readonly Place[] = [
  { region: 'London', country: 'GB', zone: 'Europe/London', share: 22, distanceMs: 2 },
  { region: 'Scotland', country: 'GB', zone: 'Europe/London', share: 12, distanceMs: 9 },
  { region: 'Wales', country: 'GB', zone: 'Europe/London', share: 9, distanceMs: 6 },
  { region: 'Azores', country: 'PT', zone: 'Atlantic/Azores', share: 4, distanceMs: 22 },
  { region: 'New York', country: 'US', zone: 'America/New_York', share: 16, distanceMs: 3 },
  { region: 'Newfoundland', country: 'CA', zone: 'America/St_Johns', share: 4, distanceMs: 14 },
  { region: 'Arizona', country: 'US', zone: 'America/Phoenix', share: 6, distanceMs: 8 },
  { region: 'Karnataka', country: 'IN', zone: 'Asia/Kolkata', share: 11, distanceMs: 7 },
  { region: 'Bagmati', country: 'NP', zone: 'Asia/Kathmandu', share: 5, distanceMs: 16 },
  { region: 'New South Wales', country: 'AU', zone: 'Australia/Sydney', share: 6, distanceMs: 4 },
  { region: 'Lord Howe', country: 'AU', zone: 'Australia/Lord_Howe', share: 3, distanceMs: 26 },
  { region: 'Chatham', country: 'NZ', zone: 'Pacific/Chatham', share: 2, distanceMs: 24 },
]

/** What agents registered in a hurry were given until somebody looked. */
export const careless = 'UTC'

export const zones: readonly string[] = [...new Set([...places.map(({ zone }) => zone), careless])]
