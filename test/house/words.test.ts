import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

/** Phrases and identifiers that only this project uses, each with the word of the field to use instead. */
const words: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/^(<{7}|>{7}|={7}$|> > > > )/, 'the resolved merge'],
  [/\b(whoever|whomever)\b/i, 'the caller, the sender, the operator'],
  [/(?<!user )\b(somebody|nobody|anybody)\b(?= [a-z])/i, 'the caller, another instance, no caller'],
  [/\b(is|are|was|were|be|stays?|while) away\b|\b[a-z]*(storeAway|isAway)\b/, 'unavailable'],
  [/\bdoorways?\b/i, 'concurrency limit, slot'],
  [/\b(stands?|stood|standing) back\b/i, 'priority, niceness'],
  [
    /\bcopy of the service\b|\bcopies of the service\b|\b(this|one|each|every|another|all) (copy|copies) (of serve|runs|takes|does|has)\b/i,
    'instance',
  ],
  [/\b[kK]eepHouse\b|\b(dictionary|rollup|value)[- ]?keepers?\b/i, 'reconciler, job'],
  [/\btwo walls\b|\b(both|second|first) walls?\b/i, 'defence in depth'],
  [/\b(mend|mends|mended|mending)\b/i, 'repair, fix'],
  [/\b(to the letter|the letter of|of the letter)\b/i, 'the specification'],
  [
    /\b(SpokenError|speakingAsStore|takeTurns|keyedTurns|afterTheSame|forgetOldest|gatherWrites|lessAndLess|ifNobodyElse)\b/,
    'semaphore, keyed mutex, evictOldest, group commit, backoff, tryAdvisoryLock',
  ],
  [/\bsums of (old )?days\b|\bforgetSums\b|\bhasSums\b/i, 'rollup'],
  [/\b(un)?(told|settled|shed)(_events|_agents|Events|Agents|At|_at)\b/i, 'published, compacted, evicted'],
  [/\bdeliver(y|ies) of (results|rows)\b|\bdeliveryTaker\b/i, 'ingest request, batch'],
]

const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' })
  .split('\n')
  .filter((path) => /\.(ts|tsx|css|md|sql|sh|ya?ml)$/.test(path))
  .filter((path) => !/^(CODE_OF_CONDUCT\.md|test\/house\/words\.test\.ts)$|\/generated\//.test(path))

it.each(words)('writes for %s: %s', (phrase) => {
  const found = files.flatMap((path) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .flatMap((line, index) => (phrase.test(line) ? [`${path}:${index + 1}: ${line.trim().slice(0, 120)}`] : [])),
  )
  expect(found).toEqual([])
})
