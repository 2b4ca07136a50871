/** Numbers that bound what people, and whoever passes for them, can do; each with its reason. */
export const peopleLimits = {
  /** Failed sign-ins, each refilled in the time below. Of a network over all names; an office is one network. */
  signInsByNetworkMax: 50,
  /** Of a name from one network. */
  signInsByNameAndNetworkMax: 10,
  /** Of a name over all networks: bounds distributed guessing. Three networks that use up theirs leave a fourth its own. */
  signInsByNameMax: 40,
  /** Of a known device, whatever strangers do. */
  signInsByDeviceMax: 10,
  /** Successful ones of a user: each leaves a session, a token and an event behind. */
  signInsByUserMax: 20,
  signInRefillMs: 900_000,
  /** Live sessions of a user; PostgreSQL has the same number. */
  sessionsMax: 20,
  /** Browsers keep no cookie longer than 400 days. */
  deviceCookieSeconds: 34_560_000,
  /**
   * A password hash takes 46 MiB and one of the four threads that name look-ups and files need too: so many at once in one
   * instance, and so many more wait; once for strangers and once for known devices, which strangers must not crowd out.
   */
  passwordChecksAtOnceMax: 1,
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
