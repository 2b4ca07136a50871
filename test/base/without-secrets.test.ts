import { expect, it } from 'vitest'
import { withoutSecrets } from '../../src/base/without-secrets.ts'
import { cpuMs } from '../kit/cpu-ms.ts'

const token = 'bg_0123456789abcdefghijABCDEFGHIJ012345'

it.each([
  ['postgres://user:hunter2@host/db', 'postgres://user:***@host/db'],
  ['a https://u:p@h/ and s3://key:secret@h', 'a https://u:***@h/ and s3://key:***@h'],
  ['x://a:b:c@h x://a:b@c@h', 'x://a:***@h x://a:***@c@h'],
  [`${'long'.repeat(10_000)}://u:p@h`, `${'long'.repeat(10_000)}://u:***@h`],
  [`x://u:${'long'.repeat(10_000)}@h`, 'x://u:***@h'],
  [token, 'bg_***'],
  [`/s/${token.replace('bg_', 'bgq_')}.csv`, '/s/bgq_***.csv'],
  [`${token}mistyped`, 'bg_***'],
  ['bg_12345678', 'bg_***'],
  [`(${token})`, '(bg_***)'],
  ['https://s3/o?X-Amz-Signature=0f1e&x=1', 'https://s3/o?X-Amz-Signature=***&x=1'],
  ['?x-amz-credential=AK%2Fus&X-AMZ-SECURITY-TOKEN=abc', '?x-amz-credential=***&X-AMZ-SECURITY-TOKEN=***'],
])('removes the secret from %.80s', (text, shown) => {
  expect(withoutSecrets(text)).toBe(shown)
})

it.each([
  'https://host/a:b@c',
  'https://user@host/',
  'http://host:8080/',
  '://a:b@c',
  'bg_1234567',
  'bg_query',
  'X-Amz-Date=20260101',
])('leaves %s unchanged', (text) => {
  expect(withoutSecrets(text)).toBe(text)
})

it.each([
  [`\n${token}`, '\nbg_***'],
  ['\tX-Amz-Signature=0f1e', '\tX-Amz-Signature=***'],
  ['X-Amz-Signature=0f1e"\\', 'X-Amz-Signature=***"\\'],
  ['x://u:p\\@h"', 'x://u:***@h"'],
])('removes %j from JSON, and leaves valid JSON', (text, shown) => {
  expect(JSON.parse(withoutSecrets(JSON.stringify([text])))).toEqual([shown])
})

it.each([
  'a',
  '/',
  '"',
  '://',
  'x://',
  'x://a',
  'x://a:',
  'x://a:b',
  'x://a:b@',
  'a:b@',
  'bg',
  'bg_',
  'bg_1234567',
  'bg_12345678_',
  'X-Amz-',
  'X-Amz-Signature=',
  'X-Amz-Signature=a&',
])('takes linear time for a megabyte of %j', (unit) => {
  for (const start of ['', 'x://', 'x://a:', 'bg_', 'X-Amz-Signature=']) {
    // The shortest text comes first. If the time grew faster than linearly, a short text would fail the test. Otherwise
    // the test would run for minutes with the longest text.
    let before = 0
    for (const length of [16_000, 64_000, 256_000, 1_024_000]) {
      const text = start + unit.repeat(length / unit.length)
      const ms = cpuMs(() => withoutSecrets(text))
      expect(ms, `${start}, then ${length} characters; a quarter takes ${before} ms`).toBeLessThan(10 * before + 100)
      before = ms
    }
  }
})
