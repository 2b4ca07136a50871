/** Who changed a question or made a link: a person, or a program with an API token, which is shown by its label. */
export type Maker = { readonly kind: 'person' | 'token'; readonly name: string }

/** `person` is the name of the person to whom the token of a session belongs; null for every other token. */
export const nameOfMaker = (person: string | null, tokenLabel: string | null): Maker =>
  person === null ? { kind: 'token', name: tokenLabel ?? '' } : { kind: 'person', name: person }

/** The changes of one organisation run one after another, so that its questions, versions and links can be counted. */
export const lockQuestions = { name: 'lock-questions', text: 'SELECT pg_advisory_xact_lock(7041934, $1)' }
