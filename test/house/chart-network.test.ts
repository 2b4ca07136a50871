import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildRenderer, canRender, type Renderer } from './render-chart.ts'

type Labels = Record<string, string>
type Probe = { httpGet: { port: string } }
type Container = {
  ports?: { name: string; containerPort: number }[]
  livenessProbe?: Probe
  readinessProbe?: Probe
}
type Rule = { ports?: { port: string | number; protocol?: string }[]; to?: object[]; from?: object[] }
type Kubernetes = {
  kind: string
  metadata: { name: string; labels: Labels }
  spec: {
    selector?: Labels | { matchLabels: Labels }
    podSelector?: { matchLabels: Labels }
    template?: { metadata: { labels: Labels }; spec: { containers: Container[] } }
    ports?: { name: string; port: number; targetPort: string }[]
    policyTypes?: string[]
    ingress?: Rule[]
    egress?: Rule[]
    endpoints?: { port: string }[]
    maxUnavailable?: number
    minAvailable?: number
    replicas?: number
    rules?: { http: { paths: { backend: { service: { name: string; port: { name: string } } } }[] } }[]
  }
}

/** docs/deployment.md has the values that limit egress to DNS and the stores. */
const [, egressValues = ''] =
  /^```yaml\n(networkPolicy:\n {2}egress:\n[^`]*)```$/m.exec(readFileSync('docs/deployment.md', 'utf8')) ?? []

describe.skipIf(!canRender)('selectors and ports of the rendered Helm chart', () => {
  let renderer: Renderer
  let all: Kubernetes[]
  beforeAll(() => {
    renderer = buildRenderer()
    const optional = {
      ingress: { enabled: true, host: 'data.example.org', ingestHost: 'ingest.example.org' },
      serviceMonitor: { enabled: true },
    }
    all = renderer.objects<Kubernetes>(optional).filter(({ kind }) => kind !== 'ConfigMap')
  }, 300_000)
  afterAll(() => renderer.close())

  const ofKind = (kind: string, among = all) => among.filter((one) => one.kind === kind)
  const named = (kind: string, name: string, among = all) => {
    const found = ofKind(kind, among).find(({ metadata }) => metadata.name === name)
    if (found === undefined) throw new Error(`there is no ${kind} ${name}`)
    return found
  }
  const isSelected = (wanted: Labels, labels: Labels) =>
    Object.entries(wanted).every(([name, value]) => labels[name] === value)
  const labelsOf = (selector: Labels | { matchLabels: Labels } | undefined): Labels => {
    // An empty selector would select every pod of the namespace.
    const labels =
      selector !== undefined && typeof selector['matchLabels'] === 'object' ? selector['matchLabels'] : selector
    expect(Object.keys(labels ?? {}).length).toBeGreaterThan(0)
    return labels as Labels
  }
  /** The Deployments and the Job whose pods a selector selects. */
  const selected = (selector: Labels | { matchLabels: Labels } | undefined) =>
    all.filter(({ spec: { template } }) => template && isSelected(labelsOf(selector), template.metadata.labels))
  const names = (found: Kubernetes[]) => found.map(({ metadata }) => metadata.name)
  const portsOf = ({ spec }: Kubernetes) => spec.template?.spec.containers.flatMap(({ ports = [] }) => ports) ?? []

  it('each Deployment selects its own pods and no others', () => {
    expect(names(ofKind('Deployment'))).toEqual(['panel', 'panel-worker'])
    for (const one of ofKind('Deployment')) expect(names(selected(one.spec.selector))).toEqual([one.metadata.name])
  })

  it('each Service selects the pods of one Deployment and reaches a port of them by its number', () => {
    const backends = Object.fromEntries(
      ofKind('Service').map(({ metadata, spec }) => [metadata.name, names(selected(spec.selector))]),
    )
    expect(backends).toEqual({
      panel: ['panel'],
      'panel-operations': ['panel'],
      'panel-worker-operations': ['panel-worker'],
    })
    for (const { spec } of ofKind('Service')) {
      for (const { name, port, targetPort } of spec.ports ?? []) {
        expect(targetPort).toBe(name)
        for (const pods of selected(spec.selector))
          expect(portsOf(pods)).toContainEqual({ name: targetPort, containerPort: port })
      }
    }
  })

  it('probes, the Ingress and the ServiceMonitor name ports that exist', () => {
    for (const pods of ofKind('Deployment')) {
      const open = portsOf(pods).map(({ name }) => name)
      for (const { livenessProbe, readinessProbe } of pods.spec.template?.spec.containers ?? []) {
        expect(open).toContain(livenessProbe?.httpGet.port)
        if (readinessProbe !== undefined) expect(open).toContain(readinessProbe.httpGet.port)
      }
    }
    const backends = named('Ingress', 'panel').spec.rules?.flatMap(({ http }) => http.paths) ?? []
    expect(backends.map(({ backend: { service } }) => service.port.name)).toEqual(['api', 'ingest'])
    for (const { backend } of backends) {
      const ports = named('Service', backend.service.name).spec.ports?.map(({ name }) => name)
      expect(ports).toContain(backend.service.port.name)
    }
    const monitor = named('ServiceMonitor', 'panel').spec
    const scraped = ofKind('Service').filter(({ metadata }) => isSelected(labelsOf(monitor.selector), metadata.labels))
    expect(names(scraped)).toEqual(['panel-operations', 'panel-worker-operations'])
    for (const { spec } of scraped)
      expect(spec.ports?.map(({ name }) => name)).toEqual(monitor.endpoints?.map(({ port }) => port))
  })

  it('the PodDisruptionBudget covers serve alone, and lets a node be drained', () => {
    const { spec } = named('PodDisruptionBudget', 'panel')
    expect(names(selected(spec.selector))).toEqual(['panel'])
    expect([spec.maxUnavailable, spec.minAvailable]).toEqual([1, undefined])
    expect(named('Deployment', 'panel').spec.replicas).toBeGreaterThan(1)
    // With one instance, a budget would either block the drain or allow what it must prevent.
    expect(ofKind('PodDisruptionBudget', renderer.objects({ replicas: 1 }))).toEqual([])
    expect(ofKind('PodDisruptionBudget', renderer.objects({ podDisruptionBudget: { enabled: false } }))).toEqual([])
  })

  it('a NetworkPolicy covers every pod, and opens only ports that the selected pods have', () => {
    const pods = all.filter(({ spec }) => spec.template !== undefined)
    expect(names(pods)).toEqual(['panel-migrate', 'panel', 'panel-worker'])
    expect(names(selected(named('NetworkPolicy', 'panel').spec.podSelector))).toEqual(names(pods))
    expect(names(selected(named('NetworkPolicy', 'panel-callers').spec.podSelector))).toEqual(['panel'])
    for (const { spec } of ofKind('NetworkPolicy')) {
      const open = selected(spec.podSelector).flatMap(portsOf)
      const allowed = spec.ingress?.flatMap(({ ports = [] }) => ports.map(({ port }) => port)) ?? []
      expect(allowed.length).toBeGreaterThan(0)
      for (const port of allowed) expect(open.map(({ name }) => name)).toContain(port)
    }
  })

  it('the ports that callers reach by the Service are those that the NetworkPolicy opens to callers', () => {
    const [rule] = named('NetworkPolicy', 'panel-callers').spec.ingress ?? []
    const targets = named('Service', 'panel').spec.ports?.map(({ targetPort }) => targetPort)
    expect(rule?.ports?.map(({ port }) => port)).toEqual(targets)
  })

  it('with the documented values, every pod may reach DNS and the stores, and nothing else', () => {
    const limited = renderer.objects<Kubernetes>(egressValues)
    const { spec } = named('NetworkPolicy', 'panel', limited)
    expect(spec.policyTypes).toEqual(['Ingress', 'Egress'])
    // Policies add up. So no other policy may allow egress.
    expect(ofKind('NetworkPolicy', limited).filter((one) => one.spec.egress !== undefined)).toHaveLength(1)
    const reached = spec.egress?.map(({ ports = [] }) =>
      ports.map(({ port, protocol = 'TCP' }) => `${port}/${protocol}`).join(' '),
    )
    // DNS, PostgreSQL, the HTTP port of ClickHouse in values.yaml, and S3 over HTTPS.
    expect(reached).toEqual(['53/UDP 53/TCP', '5432/TCP', '8123/TCP', '443/TCP'])
    // A rule without destinations, or an empty destination, would allow all of them.
    for (const { to = [] } of spec.egress ?? []) {
      expect(to.length).toBeGreaterThan(0)
      for (const peer of to) expect(Object.keys(peer).length).toBeGreaterThan(0)
    }
  })
})
