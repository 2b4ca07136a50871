import { globSync, readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { ConsoleFile, ConsoleOptions } from '../../http/server/console.ts'
import type { Settings } from '../config-schema.ts'

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/**
 * Reads all files of the console into memory, because they are small. So no path that a caller sends reaches the file system.
 */
function readConsoleFiles(): ConsoleFile[] {
  const folder = new URL('../../../console/dist/', import.meta.url)
  return globSync('**/*.*', { cwd: folder }).map((path) => {
    const bytes = readFileSync(new URL(path, folder))
    const type = types[extname(path)] ?? 'application/octet-stream'
    return { path, type, bytes, gzipped: gzipSync(bytes, { level: 9 }) }
  })
}

export function consoleOptions(settings: Settings): ConsoleOptions {
  const bases = [settings.BROADGAUGE_DATA_BASE_URL, settings.BROADGAUGE_METADATA_BASE_URL]
  const [dataBaseUrl = '/', metadataBaseUrl = '/'] = bases
  const own = bases.filter((base) => !base.startsWith('/')).map((base) => new URL(base).origin)
  return {
    files: readConsoleFiles(),
    origins: [...new Set([...own, ...settings.BROADGAUGE_CONSOLE_ORIGINS])],
    settings: { dataBaseUrl, metadataBaseUrl },
  }
}
