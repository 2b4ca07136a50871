import type { Transform } from 'node:stream'
import { constants, createBrotliCompress, createGzip, createZstdCompress, type Gzip } from 'node:zlib'

export type Compressor = Transform & Pick<Gzip, 'flush'>

const { BROTLI_PARAM_LGWIN, BROTLI_PARAM_QUALITY, BROTLI_PARAM_MODE, BROTLI_MODE_TEXT } = constants
const { ZSTD_c_compressionLevel, ZSTD_c_windowLog } = constants

/**
 * The supported compressors, in order of preference. The compression levels are low, because ClickHouse must not wait for the
 * compressor. With these levels, rows shrink to a tenth of their size. The windows are small because each slow caller keeps
 * one window in memory.
 */
const compressors: Record<string, () => Compressor> = {
  zstd: () => createZstdCompress({ params: { [ZSTD_c_compressionLevel]: 1, [ZSTD_c_windowLog]: 18 } }),
  br: () =>
    createBrotliCompress({
      params: { [BROTLI_PARAM_QUALITY]: 1, [BROTLI_PARAM_LGWIN]: 18, [BROTLI_PARAM_MODE]: BROTLI_MODE_TEXT },
    }),
  gzip: () => createGzip({ level: 1 }),
}

export type ContentEncoding = { readonly name: string; readonly create: () => Compressor }

/**
 * Chooses the supported encoding with the highest weight in `Accept-Encoding`. If weights are equal, our order of preference
 * decides. Null means no compression.
 */
export function chooseEncoding(header: string | undefined): ContentEncoding | null {
  const weights = weightsOf(header)
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0
  const plain = weights.get('identity') ?? 0
  const wanted = Object.keys(compressors).filter((name) => weightOf(name) > 0 && weightOf(name) >= plain)
  const [best] = wanted.toSorted((one, other) => weightOf(other) - weightOf(one))
  const create = best === undefined ? undefined : compressors[best]
  return best === undefined || create === undefined ? null : { name: best, create }
}

/** Returns true if the header accepts this encoding. For files that exist in one encoding only. */
export const isAccepted = (header: string, name: string): boolean => (weightsOf(header).get(name) ?? 0) > 0

const weightsOf = (header: string | undefined): ReadonlyMap<string, number> =>
  new Map((header ?? '').toLowerCase().split(',').map(weighted))

/** Parses one item of the header: `br;q=0.5` gives `br` and 0.5. An invalid weight counts as 0. */
function weighted(item: string): [string, number] {
  const [name = '', ...parameters] = item.split(';').map((part) => part.trim())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))
  return [name === 'x-gzip' ? 'gzip' : name, weight === undefined ? 1 : Number(weight.slice(2)) || 0]
}
