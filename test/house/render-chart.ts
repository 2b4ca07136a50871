import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * The folder in which Debian installs the Go libraries that Helm is built from. If the folder is missing, the tests of the
 * rendered chart are skipped. Then only deployment.test.ts checks the chart, and it reads the templates as text.
 */
const libraries = '/usr/share/gocode'
export const canRender = existsSync(join(libraries, 'src/github.com/Masterminds/sprig')) && existsSync('/usr/bin/go')

/** Renders the chart with values: a value, or the YAML text of a values file. */
export type Renderer = {
  readonly text: (values: object | string) => string
  readonly objects: <Kubernetes>(values: object | string) => Kubernetes[]
  readonly close: () => void
}

export function buildRenderer(): Renderer {
  const folder = mkdtempSync(join(tmpdir(), 'broadgauge-chart-'))
  const program = join(folder, 'render-chart')
  const env = { ...process.env, GO111MODULE: 'off', GOPATH: libraries }
  execFileSync('/usr/bin/go', ['build', '-o', program, '.ci/render-chart.go'], { env, stdio: 'pipe' })
  const run = (values: object | string, ...options: string[]) => {
    const file = join(folder, 'values.yaml')
    writeFileSync(file, typeof values === 'string' ? values : JSON.stringify(values))
    return execFileSync(program, [...options, file], { encoding: 'utf8', stdio: 'pipe' })
  }
  return {
    text: (values) => run(values),
    objects: (values) =>
      run(values, '--json')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    close: () => rmSync(folder, { recursive: true }),
  }
}
