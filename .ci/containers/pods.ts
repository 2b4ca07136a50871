/**
 * Divides the rendered chart into files for `podman kube play`: node pods.ts FOLDER < DOCUMENTS. Standard input has one document
 * per line, as `render-chart.go --json` prints them. Writes `release.yaml` with the ConfigMap and the Deployments, and
 * `migrate.yaml` with the Job's pod, because Podman starts no Job. Prints what it leaves out.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

type Pods = { spec: { containers: Record<string, unknown>[] }; metadata: object }
type Document = { kind: string; metadata: { name: string }; spec: { template: Pods } }

/**
 * Podman 4.3 publishes each port on every address of the machine, so that two instances need the same port. It takes the name
 * of a probe's port for 0, and runs curl in the container, which the image does not have. Without the probe it uses the health
 * check of the image.
 */
const leftOut = ['ports', 'livenessProbe', 'readinessProbe']

const [folder = '.'] = process.argv.slice(2)
const documents = readFileSync(0, 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line): Document => JSON.parse(line))

const ofKind = (kind: string) => documents.filter((one) => one.kind === kind)
const playable = ({ spec, metadata }: Pods): Pods => ({
  metadata,
  spec: {
    ...spec,
    containers: spec.containers.map((container) =>
      Object.fromEntries(Object.entries(container).filter(([name]) => !leftOut.includes(name))),
    ),
  },
})
const podOf = ({ metadata: { name }, spec: { template } }: Document) => ({
  ...playable(template),
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { ...template.metadata, name },
})
const deploymentOf = (deployment: Document) => ({
  ...deployment,
  spec: { ...deployment.spec, template: playable(deployment.spec.template) },
})
// JSON is YAML.
const write = (file: string, found: readonly object[]) =>
  writeFileSync(join(folder, file), found.map((one) => `---\n${JSON.stringify(one)}\n`).join(''))

write('migrate.yaml', [...ofKind('ConfigMap'), ...ofKind('Job').map(podOf)])
write('release.yaml', [...ofKind('ConfigMap'), ...ofKind('Deployment').map(deploymentOf)])

const played = ['ConfigMap', 'Deployment', 'Job']
const others = documents
  .filter(({ kind }) => !played.includes(kind))
  .map(({ kind, metadata }) => `${kind} ${metadata.name}`)
console.log(`not for podman kube play: ${[...others, ...leftOut].join(', ')}`)
