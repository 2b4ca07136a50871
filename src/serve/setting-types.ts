import { z } from 'zod'
import { tests } from '../catalog/tests/index.ts'

export const text = z.string().min(1)
/** Does not use `z.coerce`, which interprets an empty string as 0. */
export const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'is not a whole number')
    .transform(Number)
    .pipe(z.number().min(min).max(max))
/** A limit of an organisation or a token. 0 means no limit. */
export const share = (most: number, what: string) =>
  wholeNumber(0, 1_000_000).default(most).describe(`${what} 0 means no limit.`)
export const port = wholeNumber(0, 65_535)
export const flag = z.enum(['true', 'false']).transform((value) => value === 'true')
/** Number of proxies in front of the service. `true` means one. */
export const proxies = z
  .string()
  .regex(/^(true|false|\d)$/, 'is not true, false or a number of proxies up to 9')
  .transform((value) => (value === 'true' ? 1 : value === 'false' ? 0 : Number(value)))
const list = z.string().transform((value) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
)
export const urlList = list
  .pipe(z.array(z.url({ protocol: /^https?$/ })).min(1))
  .refine(areDistinctNodes, 'must list every node once, without a user name')
export const postgresUrl = z.url({ protocol: /^postgres(ql)?$/ })
/** A path such as `/` or `/data`, or an absolute URL if the interface has its own host name. */
export const baseUrl = z
  .string()
  .regex(/^(https?:\/\/[A-Za-z0-9.:[\]-]+)?(\/[A-Za-z0-9._-]+)*\/?$/, 'is not a path or an absolute URL')
  .min(1)
export const origins = list.refine((all) => all.every(isOrigin), 'takes origins such as https://app.example.org')

/**
 * Maximum retention, about 27 years. ClickHouse's `DateTime` ends in 2106: if rows expired later, ClickHouse would treat them
 * as expired and drop them.
 */
export const keptDaysMax = 10_000

/** Minimum retention. With fewer days, there would be times at which some time zone has no complete day. */
const keptDaysMin = 4

/** For example `httpget=1095, traceroute=90`. */
export const retention = list
  .refine(
    (all) => all.every(isRetention),
    `takes tests and days, ${keptDaysMin} to ${keptDaysMax}, such as httpget=1095,traceroute=90; omit a test to keep its results for ever`,
  )
  .transform((all) => new Map(all.map((item) => [item.split('=')[0] ?? '', Number(item.split('=')[1])])))

function isRetention(item: string): boolean {
  const [, key, days] = /^(\w+)=(\d{1,5})$/.exec(item) ?? []
  return tests.some((test) => test.key === key) && Number(days) >= keptDaysMin && Number(days) <= keptDaysMax
}

function areDistinctNodes(urls: readonly string[]): boolean {
  const nodes = urls.map((url) => new URL(url))
  return nodes.every(({ username }) => username === '') && new Set(nodes.map(({ host }) => host)).size === urls.length
}

const isOrigin = (item: string): boolean => URL.canParse(item) && new URL(item).origin === item
