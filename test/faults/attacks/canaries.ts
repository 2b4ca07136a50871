import type { Names, Stem } from './tenant-world.ts'

/** The names of one tenant, in every notation in which a response could contain them. */
export const spellings = ({ agent, unit, mac, panel, key, value, target, exportId }: Names): string[] => [
  agent,
  agent.replaceAll('-', ''),
  String(unit),
  mac,
  mac.toLowerCase(),
  (mac.match(/../g) ?? []).join(':').toLowerCase(),
  (mac.match(/../g) ?? []).join(':'),
  panel,
  key,
  value,
  target,
  exportId,
]

/** Returns the parts of `text` that name a hidden tenant. It ignores names that the caller itself has sent (`sent`). */
export function canariesIn(
  names: Readonly<Record<Stem, Names>>,
  hidden: readonly Stem[],
  text: string,
  sent: string,
): string[] {
  return hidden.flatMap((stem) => {
    const echoed = spellings(names[stem]).filter((one) => sent.includes(one))
    const rest = echoed.reduce((left, one) => left.replaceAll(one, ''), text)
    const marked = rest.match(new RegExp(`qz.?${stem}[\\w-]*`, 'gi')) ?? []
    return [...marked, ...spellings(names[stem]).filter((one) => rest.includes(one))]
  })
}
