/** Where an interface is found: a path prefix, and a host name when it has one of its own. */
export type BaseUrl = { host: string | null; prefix: string }

/** A path of the interface, as it is asked for. */
export const pathBelow = ({ prefix }: BaseUrl, path: string): string => `${prefix === '/' ? '' : prefix}${path}`
