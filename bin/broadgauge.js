#!/usr/bin/env node
// The command `broadgauge`. A checkout has the sources, and the package has the compiled files.
import { existsSync } from 'node:fs'

const source = new URL('../src/serve/main.ts', import.meta.url)
const compiled = new URL('../dist/src/serve/main.js', import.meta.url)
await import(existsSync(source) ? source.href : compiled.href)
