/** A letter, a digit or an accent that is not of ASCII. */
const foreign = /(?=[\p{L}\p{M}\p{N}])\P{ASCII}/u

/**
 * An identifier as it came, if it may be compared without punctuation and case; null for one that names no agent. All that are
 * registered are ASCII, and whatever else stands in a text is left out like punctuation: with a letter left out it would name
 * another agent.
 */
export const comparable = (identifier: string): string | null => (foreign.test(identifier) ? null : identifier)
