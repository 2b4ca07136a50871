/**
 * Shows how the source is divided into folders. `npx node .ci/folders.ts [checkout]` prints the number of files in src/
 * and the sizes of its folders. For src/serve and src/http it also prints the number of files, and the number of
 * imports between files of the same folder.
 */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

const root = process.argv[2] ?? '.'
const files = globSync('src/**/*.ts', { cwd: root }).filter((path) => !path.startsWith('src/ingest/synth/'))
const imported = /(?:from |import\()'(\.[^']+)'/g

const sizes = [...Map.groupBy(files, (path) => dirname(path)).entries()]
  .filter(([folder]) => !/^src\/catalog(\/|$)|\/routes$/.test(folder))
  .map(([, own]) => own.length)
  .toSorted((one, other) => one - other)
const median = sizes[Math.floor(sizes.length / 2)]
console.log(`src: ${files.length} files without the generator of synthetic panels`)
console.log(`${sizes.length} folders without catalogue and routes: median ${median} files, at most ${sizes.at(-1)}`)

for (const folder of ['src/serve', 'src/http']) {
  const own = new Set(files.filter((path) => path.startsWith(`${folder}/`)))
  const inside = [...own].flatMap((path) =>
    [...readFileSync(join(root, path), 'utf8').matchAll(imported)]
      .map(([, to = '']) => normalize(join(dirname(path), to)))
      .filter((to) => own.has(to)),
  )
  console.log(`${folder}: ${own.size} files, ${inside.length} imports between them`)
}
