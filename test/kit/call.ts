/** What came back over a real socket. */
export type Answer = { status: number; headers: Headers; text: string; body: Record<string, unknown> }

export type CallOptions = {
  method?: string
  token?: string
  headers?: Record<string, string>
  body?: string | Uint8Array<ArrayBuffer>
}

/** One request; the body is parsed because every answer is the envelope, and a test fails when it is not. */
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
