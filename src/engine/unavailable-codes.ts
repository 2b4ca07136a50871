/** System error codes of a connection that cannot be opened, or that was broken. */
export const unavailableSystemCodes = /^(ECONN\w+|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/
