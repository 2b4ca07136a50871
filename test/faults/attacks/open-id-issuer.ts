import { randomBytes } from 'node:crypto'
import { Provider } from 'oidc-provider'

/** An OpenID Connect provider with one client for each organisation. It accepts every login without a check. */
export function openIssuer(port: number, signIns: string, clients: readonly { id: string; secret: string }[]) {
  const address = `http://127.0.0.1:${port}`
  const oidc = new Provider(address, {
    clients: clients.map(({ id, secret }) => ({
      client_id: id,
      client_secret: secret,
      token_endpoint_auth_method: 'client_secret_post',
      redirect_uris: [`${signIns}/${id}/callback`],
    })),
    cookies: { keys: [randomBytes(16).toString('hex')] },
  })
  const server = oidc.listen(port, '127.0.0.1')
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { address, close }
}

/** The cookies of a browser. */
export type Browser = Map<string, string>

const cookieHeader = (browser: Browser): string => [...browser].map(([name, value]) => `${name}=${value}`).join('; ')

export async function visit(browser: Browser, address: string, form: URLSearchParams | null = null): Promise<Response> {
  const answer = await fetch(address, {
    redirect: 'manual',
    headers: { cookie: cookieHeader(browser) },
    ...(form === null ? {} : { method: 'POST', body: form }),
  })
  for (const [pair = '', ...attributes] of answer.headers.getSetCookie().map((one) => one.split('; '))) {
    const [name = '', value = ''] = pair.split('=')
    const isOver = value === '' || attributes.some((one) => /^max-age=0$|^expires=.* 1970/i.test(one))
    if (isOver) browser.delete(name)
    else browser.set(name, value)
  }
  return answer
}

/**
 * Signs in as `login` on the pages of the provider. Returns the address to which the provider redirects the browser.
 */
export async function passIssuer(browser: Browser, begin: string, login: string): Promise<string> {
  let address = begin
  let form: URLSearchParams | null = null
  for (let step = 0; step < 12; step += 1) {
    const answer: Response = await visit(browser, address, form)
    const page = await answer.text()
    const location = answer.headers.get('location')
    if (location === null) {
      const [, prompt] = /name="prompt" value="(\w+)"/.exec(page) ?? []
      const [, action] = /action="([^"]+)"/.exec(page) ?? []
      if (prompt === undefined || action === undefined)
        throw new Error(`the issuer has lost its way: ${page.slice(0, 500)}`)
      form = new URLSearchParams({ prompt, login, password: 'whatever it takes' })
      address = new URL(action, address).href
    } else {
      form = null
      address = new URL(location, address).href
      if (/\/callback\?/.test(address)) return address
    }
  }
  throw new Error('the issuer sends the browser in circles')
}
