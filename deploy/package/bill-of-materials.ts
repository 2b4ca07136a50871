/**
 * Writes the package's bill of materials in CycloneDX format: its dependencies, and the packages bundled into the console's
 * files.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

type Component = { 'bom-ref': string; name: string; type: string; version: string }
type Link = { ref: string; dependsOn: string[] }
export type Bill = {
  bomFormat: 'CycloneDX'
  specVersion: string
  version: number
  metadata: { component: Component }
  components: Component[]
  dependencies: Link[]
}
type Manifest = { name: string; dependencies: Record<string, string>; devDependencies: Record<string, string> }

const bundledByTheConsole = ['react', 'react-dom', 'uplot']

export function billOfMaterials(root: string): Bill {
  const options = ['--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only']
  // Without the number and the time of this run, the same commit gives the same bytes.
  const { serialNumber: _number, ...all }: Bill & { serialNumber?: string } = JSON.parse(
    execFileSync('npm', ['sbom', ...options], { cwd: root, maxBuffer: 2 ** 26 }).toString(),
  )
  const own = readManifest(join(root, 'package.json'))
  const console = readManifest(join(root, 'console/package.json'))
  // Versions are pinned exactly, so name and version identify a package.
  const direct = [
    ...Object.entries(own.dependencies).map(([name, version]) => `${name}@${version}`),
    ...bundledByTheConsole.map((name) => `${name}@${console.devDependencies[name]}`),
  ]
  const shipped = reachable(direct, new Map(all.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn])))
  const { timestamp: _time, ...metadata }: Bill['metadata'] & { timestamp?: string } = all.metadata
  const { component } = metadata
  return {
    ...all,
    // npm writes the name of the folder instead of the name of the package.
    metadata: { ...metadata, component: { ...component, name: own.name } },
    components: all.components.filter((one) => shipped.has(one['bom-ref'])),
    dependencies: [
      { ref: component['bom-ref'], dependsOn: direct },
      ...all.dependencies.filter(({ ref }) => shipped.has(ref)),
    ],
  }
}

/** A bill of materials of something that contains no packages and only refers to container images. */
export function billOf(type: string, name: string, version: string, images: readonly string[]): Bill {
  const component = { 'bom-ref': `${name}@${version}`, type, name, version }
  const components = images.map((image) => {
    const [imageName = '', imageVersion = ''] = image.split(/:(.*)/)
    return { 'bom-ref': image, type: 'container', name: imageName, version: imageVersion }
  })
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component },
    components,
    dependencies: [{ ref: component['bom-ref'], dependsOn: [...images] }],
  }
}

const readManifest = (path: string): Manifest => JSON.parse(readFileSync(path, 'utf8'))

function reachable(from: readonly string[], links: ReadonlyMap<string, readonly string[]>): Set<string> {
  const found = new Set(from)
  // This visits all reachable packages: iterating a Set also visits entries that are added during the iteration.
  for (const ref of found) for (const next of links.get(ref) ?? []) found.add(next)
  return found
}
