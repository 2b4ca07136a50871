import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildRenderer, canRender, type Renderer } from './render-chart.ts'

describe.skipIf(!canRender)('the rendered Helm chart', () => {
  let renderer: Renderer
  beforeAll(() => {
    renderer = buildRenderer()
  }, 300_000)
  afterAll(() => renderer.close())

  /** The rendered Kubernetes documents, by kind and name. */
  function render(values: object): Map<string, string> {
    const documents = renderer.text(values).split(/^---$/m).slice(1)
    const nameOf = (text: string) => `${/^kind: (.*)$/m.exec(text)?.[1]} ${/^ {2}name: (.*)$/m.exec(text)?.[1]}`
    return new Map(documents.map((text) => [nameOf(text), text]))
  }
  const settingsOf = (documents: Map<string, string>): string =>
    [...documents.keys()].find((name) => name.startsWith('ConfigMap '))?.replace('ConfigMap ', '') ?? ''

  it('makes all pods of a release read the settings of that release', () => {
    const documents = render({})
    const name = settingsOf(documents)
    expect(name).toMatch(/^panel-settings-[0-9a-f]{10}$/)
    for (const one of ['Deployment panel', 'Deployment panel-worker', 'Job panel-migrate']) {
      expect(documents.get(one)).toContain(`configMapRef: { name: ${name} }`)
    }
  })

  it('gives changed settings a ConfigMap with a new name, and unchanged settings the same name', () => {
    const before = settingsOf(render({}))
    expect(settingsOf(render({ replicas: 3 }))).toBe(before)
    expect(settingsOf(render({ settings: { BROADGAUGE_LOG_LEVEL: 'debug' } }))).not.toBe(before)
    expect(settingsOf(render({ drainSeconds: 36 }))).not.toBe(before)
  })

  it('kills a stopping instance only after the delay, the drain and the time to close the stores', () => {
    const documents = render({ shutdownDelaySeconds: 20, drainSeconds: 60 })
    const settings = documents.get(`ConfigMap ${settingsOf(documents)}`)
    expect(settings).toContain('BROADGAUGE_SHUTDOWN_DELAY_SECONDS: "20"')
    expect(settings).toContain('BROADGAUGE_DRAIN_SECONDS: "60"')
    // src/serve/commands/context.ts exits 5 s after the drain.
    expect(Number(/terminationGracePeriodSeconds: (\d+)/.exec(documents.get('Deployment panel') ?? '')?.[1])).toBe(95)
    expect(() => render({ shutdownDelaySeconds: -1 })).toThrow(/shutdownDelaySeconds/)
  })

  it('trusts the forwarded headers of an Ingress, unless the operator turns that off', () => {
    const trust = (values: object) => {
      const documents = render(values)
      return /BROADGAUGE_TRUST_PROXY: (.*)/.exec(documents.get(`ConfigMap ${settingsOf(documents)}`) ?? '')?.[1]
    }
    const ingress = { enabled: true, host: 'data.example.org' }
    expect(trust({})).toBeUndefined()
    expect(trust({ ingress })).toBe('"true"')
    expect(trust({ ingress, settings: { BROADGAUGE_TRUST_PROXY: 'false' } })).toBe('"false"')
  })

  it('mounts the files of a Secret into serve, and mounts nothing without a Secret', () => {
    const serve = (values: object) => render(values).get('Deployment panel')
    expect(serve({})).not.toMatch(/volume/)
    const mounted = serve({ files: { secretName: 'panel-files' } })
    expect(mounted).toContain('- { name: files, mountPath: /etc/broadgauge, readOnly: true }')
    expect(mounted).toContain('- { name: files, secret: { secretName: panel-files } }')
  })

  const policies = (values: object) => {
    const documents = render(values)
    return {
      every: documents.get('NetworkPolicy panel') ?? '',
      callers: documents.get('NetworkPolicy panel-callers') ?? '',
    }
  }

  it('lets only the monitoring namespace reach the operations port, and every pod reach api and ingest', () => {
    const { every, callers } = policies({})
    expect(every).toMatch(
      /^ {2}policyTypes:\n {4}- Ingress\n[^]*ingress:\n {4}- ports:\n {8}- \{ port: operations \}\n {6}from:\n {8}- namespaceSelector:\n {12}matchLabels:\n {14}kubernetes\.io\/metadata\.name: monitoring\n$/m,
    )
    expect(every).not.toMatch(/component|[Ee]gress/)
    expect(callers).toMatch(
      /component: serve\n[^]*ingress:\n {4}- ports:\n {8}- \{ port: api \}\n {8}- \{ port: ingest \}\n$/,
    )
  })

  it('restricts ingress and egress to what the operator names, and closes the operations port if monitoring is empty', () => {
    const ingress = [{ namespaceSelector: { matchLabels: { name: 'ingress-nginx' } } }]
    const egress = [{ ports: [{ port: 5432 }] }]
    const { every, callers } = policies({ networkPolicy: { callers: ingress, monitoring: [], egress } })
    expect(every).toMatch(
      /- Ingress\n {4}- Egress\n[^]*^ {2}ingress: \[\]\n {2}egress:\n {4}- ports:\n {8}- port: 5432\n$/m,
    )
    expect(callers).toMatch(/from:\n {8}- namespaceSelector:\n {12}matchLabels:\n {14}name: ingress-nginx\n$/)
    expect(policies({ networkPolicy: { enabled: false } })).toEqual({ every: '', callers: '' })
    expect(() => render({ networkPolicy: { monitoring: [{}] } })).toThrow(/networkPolicy\.monitoring/)
  })

  it('gives the ServiceMonitor the labels by which Prometheus finds it', () => {
    const monitor = { enabled: true, labels: { release: 'prometheus' } }
    expect(render({ serviceMonitor: monitor }).get('ServiceMonitor panel')).toMatch(
      /^ {4}app\.kubernetes\.io\/name: broadgauge\n[^]*^ {4}release: prometheus\nspec:/m,
    )
    expect(() => render({ serviceMonitor: { labels: { release: 1 } } })).toThrow(/serviceMonitor\.labels/)
  })
})
