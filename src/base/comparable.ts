/** Finds a letter, digit or accent outside ASCII. */
const foreign = /(?=[\p{L}\p{M}\p{N}])\P{ASCII}/u

/**
 * Returns the identifier unchanged, or null if it cannot match any agent. Registered identifiers are ASCII, and the comparison
 * ignores case and all characters except ASCII letters and digits. Without this check, an identifier with a letter outside
 * ASCII could match another agent.
 */
export const comparable = (identifier: string): string | null => (foreign.test(identifier) ? null : identifier)
