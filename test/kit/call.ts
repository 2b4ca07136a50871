/** A response received over a real socket. */
export type Answer = { status: number; headers: Headers; text: string; body: Record<string, unknown> }

export type CallOptions = {
  method?: string
  token?: string
  headers?: Record<string, string>
  body?: string | Uint8Array<ArrayBuffer>
}

/** Sends one request and parses the body. Every response is the JSON envelope; the test fails if it is not. */
export async function call(
  url: string,
  { method = 'GET', token, headers = {}, body }: CallOptions = {},
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: { accept: 'application/json', ...(token === undefined ? {} : { authorization: token }), ...headers },
    ...(body === undefined ? {} : { body }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: method === 'HEAD' ? {} : JSON.parse(text) }
}
