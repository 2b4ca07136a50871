import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export type SourceFile = { readonly path: string; readonly text: string; readonly packages: readonly string[] }

/** Matches imports, but not `import type`: TypeScript erases it, so it loads no file. */
const imports = /^(?:import|export) (?!type\b)(?:[^'"]*?from )?'([^']+)'|import\('([^']+)'\)/gm

/** Yields a file and all files that it imports directly or indirectly, the nearest first. */
export function* reachedFrom(path: string): Generator<SourceFile> {
  const reached = new Set([path])
  for (const next of reached) {
    const file = read(next)
    yield file
    for (const imported of file.files) reached.add(imported)
  }
}

const known = new Map<string, SourceFile & { readonly files: readonly string[] }>()

function read(path: string): SourceFile & { readonly files: readonly string[] } {
  const present = known.get(path)
  if (present !== undefined) return present
  const text = /\.tsx?$/.test(path) && existsSync(path) ? readFileSync(path, 'utf8') : ''
  const names = [...text.matchAll(imports)].map(([, from, dynamic]) => from ?? dynamic ?? '')
  const file = {
    path,
    text,
    packages: names.filter((name) => !name.startsWith('.')),
    files: names.filter((name) => name.startsWith('.')).map((name) => join(dirname(path), name)),
  }
  known.set(path, file)
  return file
}
