import type { Identity, Whence } from '../../base/person.ts'

/**
 * A way for people to prove who they are; null when they have not. What follows, the session with its cookie and its token,
 * is the same for all of them, and knows only whom it is about.
 */
export type PasswordProvider = (name: string, password: string, whence: Whence) => Promise<Identity | null>
