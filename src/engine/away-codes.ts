/** Codes of the system for a connection to a store that cannot be made or broke. */
export const awaySystemCodes = /^(ECONN\w+|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/
