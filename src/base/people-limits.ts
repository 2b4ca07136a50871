/** Numbers that bound what people, and whoever passes for them, can do; each with its reason. */
export const peopleLimits = {
  /** Wrong passwords a name, and an address, may try at once; as many again in the time below. An office has one address. */
  signInsByNameMax: 10,
  signInsByAddressMax: 50,
  signInRefillMs: 900_000,
  /** A look at a password takes 46 MiB and one of the four threads that name look-ups and files need too: so many at once in one copy, and so many more wait. */
  passwordChecksAtOnceMax: 2,
  passwordChecksWaitingMax: 20,
  /** What the operator issues is longer; this is for passwords people choose. Longer texts are no passwords. */
  passwordCharactersMin: 12,
  credentialCharactersMax: 1_024,
  /** A session's token ends this long after the console last asked to renew it. */
  sessionTokenMs: 900_000,
  /** A session that is over tells when it was last used, as long as anybody may ask. */
  sessionsKeptDays: 30,
  /** The record of who did what: a year under audit, and the one in which it is audited. */
  eventsKeptYears: 2,
  /** What a token is for, in a list. */
  labelCharactersMax: 200,
  /** Of an organisation: those that work, by its people's own making; and as many are listed. A program needs one. */
  tokensMax: 1_000,
} as const
