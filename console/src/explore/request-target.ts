/** The destination of a request: the base address of the interface and the path. */
export type RequestTarget = { readonly base: string; readonly path: '/metric_data' | '/test_data' }

export const urlOf = ({ base, path }: RequestTarget): string => `${base.replace(/\/$/, '')}${path}`
