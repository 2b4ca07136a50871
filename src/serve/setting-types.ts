import { z } from 'zod'
import { tests } from '../catalog/tests/index.ts'

export const text = z.string().min(1)
/** Not `z.coerce`: that takes an empty text for zero. */
export const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'is not a whole number')
    .transform(Number)
    .pipe(z.number().min(min).max(max))
/** A share of what there is; 0 is no limit. */
export const share = (most: number, what: string) =>
  wholeNumber(0, 1_000_000).default(most).describe(`${what} 0: no limit.`)
export const port = wholeNumber(0, 65_535)
export const flag = z.enum(['true', 'false']).transform((value) => value === 'true')
/** How many proxies stand in front: a number, or `true` for one. */
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
  .refine(areDistinctNodes, 'every node once, without a user')
export const postgresUrl = z.url({ protocol: /^postgres(ql)?$/ })
/** A path (`/`, `/data`), or a whole address when the interface has a host name of its own. */
export const baseUrl = z
  .string()
  .regex(/^(https?:\/\/[A-Za-z0-9.:[\]-]+)?(\/[A-Za-z0-9._-]+)*\/?$/, 'is not a path or an address')
  .min(1)
export const origins = list.refine((all) => all.every(isOrigin), 'takes origins such as https://app.example.org')

/** Some 27 years. The engine's times end in 2106: what would be kept beyond counts as long gone, and is dropped. */
export const keptDaysMax = 10_000

/** With less there would not always be a whole day to answer, wherever an agent is. */
const keptDaysMin = 4

/** `httpget=1095, traceroute=90` */
export const retention = list
  .refine(
    (all) => all.every(isRetention),
    `takes tests and days, ${keptDaysMin} to ${keptDaysMax}, such as httpget=1095,traceroute=90; leave a test out to keep it for ever`,
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
