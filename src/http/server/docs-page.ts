/**
 * `/docs` has the same origin as the console, and the API reference is a third-party script. So the reference runs in a
 * sandboxed frame with an opaque origin: it cannot access the console's cookies, storage and pages. The frame has no network
 * access. The outer page sends the requests of the frame, without cookies.
 */
const nothingElse = ["default-src 'none'", "base-uri 'none'", "form-action 'none'"]

const outerPolicy = [
  ...nothingElse,
  "script-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "frame-ancestors 'none'",
].join('; ')

/** Inline styles are allowed because the reference injects its own. Inline scripts are not. */
const referencePolicy = [
  ...nothingElse,
  'sandbox allow-scripts allow-forms allow-downloads',
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  'font-src data:',
  'img-src data: blob:',
  "frame-ancestors 'self'",
].join('; ')

const configuration = {
  url: '../openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  // Each of the following features would call a service of the reference's vendor.
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
}

const page = (body: string): string => `<!doctype html>
<html lang="en">
  <head>
    <title>Broadgauge API</title>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
  </head>
  <body>
    ${body}
  </body>
</html>
`

const outerScript = `const frame = document.createElement('iframe')
frame.title = 'API reference'
frame.allow = 'clipboard-write'
frame.src = 'reference' + location.hash
Object.assign(frame.style, { position: 'fixed', inset: '0', width: '100%', height: '100%', border: '0' })
addEventListener('message', async ({ source, data: { url, method, headers, body }, ports: [port] }) => {
  if (source !== frame.contentWindow) return
  try {
    const answer = await fetch(url, { method, headers, body, credentials: 'omit' })
    port.postMessage({ status: answer.status, headers: [...answer.headers], body: await answer.blob() })
  } catch (error) {
    port.postMessage({ error: String(error) })
  }
})
document.body.append(frame)
`

const referenceScript = `if (parent === self) location.replace('./' + location.hash)
for (const name of ['localStorage', 'sessionStorage']) {
  const kept = new Map()
  const value = {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, text) => void kept.set(key, String(text)),
    removeItem: (key) => void kept.delete(key),
    clear: () => kept.clear(),
  }
  Object.defineProperty(self, name, { value })
}
self.fetch = async (input, init) => {
  const request = new Request(input, init)
  const body = ['GET', 'HEAD'].includes(request.method) ? undefined : await request.blob()
  const { port1, port2 } = new MessageChannel()
  const answered = new Promise((resolve) => (port1.onmessage = ({ data }) => resolve(data)))
  const asked = { url: request.url, method: request.method, headers: [...request.headers], body }
  parent.postMessage(asked, '*', [port2])
  const answer = await answered
  if ('error' in answer) throw new TypeError(answer.error)
  const isEmpty = [204, 205, 304].includes(answer.status)
  return new Response(isEmpty ? null : answer.body, { status: answer.status, headers: answer.headers })
}
`

const attribute = JSON.stringify(configuration).replaceAll('"', '&quot;')
const html = 'text/html; charset=utf-8'
const script = 'text/javascript; charset=utf-8'

export type DocsFile = { readonly path: string; readonly type: string; readonly policy: string; readonly text: string }

/** The page at `/docs/`. */
export const docsPage: DocsFile = {
  path: '',
  type: html,
  policy: outerPolicy,
  text: page('<script src="docs.js"></script>'),
}

/** The files below `/docs/`. */
export const docsFiles: readonly DocsFile[] = [
  { path: 'docs.js', type: script, policy: outerPolicy, text: outerScript },
  {
    path: 'reference',
    type: html,
    policy: referencePolicy,
    text: page(`<script src="reference.js"></script>
    <script id="api-reference" type="application/json" data-configuration="${attribute}"></script>
    <script src="js/scalar.js"></script>`),
  },
  { path: 'reference.js', type: script, policy: referencePolicy, text: referenceScript },
]
