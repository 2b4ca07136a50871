import { once } from 'node:events'
import { link, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { fetchFile } from '../../../src/serve/tasks/fetch-file.ts'

let storage: Server
let folder: string
let file: string

/** Yields the text a thousand times, with pauses, so that two downloads can overlap. */
async function* pieces(text: string): AsyncGenerator<string> {
  for (let piece = 0; piece < 10; piece += 1) {
    yield text.repeat(100)
    await pause(5)
  }
}

beforeAll(async () => {
  storage = createServer(({ url = '' }, response) => void pipeline(pieces(url.slice(1)), response))
  await once(storage.listen(0, '127.0.0.1'), 'listening')
})
afterAll(() => void storage.close())
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'broadgauge-'))
  file = join(folder, 'x.csv')
})
afterEach(() => rm(folder, { recursive: true }))

const addressOf = (letter: string) => `http://127.0.0.1:${(storage.address() as AddressInfo).port}/${letter}`

it('publishes one of two downloads to the same file, complete, and leaves other files alone', async () => {
  await writeFile(`${file}.part`, 'mine')
  const [a, b] = await Promise.allSettled(['a', 'b'].map((letter) => fetchFile(addressOf(letter), file, 1_000)))
  const [whole, refused] = a?.status === 'fulfilled' ? ['a', b] : ['b', a]
  expect(refused).toMatchObject({ status: 'rejected', reason: { message: `The file ${file} already exists.` } })
  expect(await readFile(file, 'utf8')).toBe(whole.repeat(1_000))
  expect((await readdir(folder)).toSorted()).toEqual(['x.csv', 'x.csv.part'])
  expect(await readFile(`${file}.part`, 'utf8')).toBe('mine')
})

it('publishes nothing of a download that was cut', async () => {
  await expect(fetchFile(addressOf('a'), file, 1_001)).rejects.toThrow('1000 of 1001 bytes')
  expect(await readdir(folder)).toEqual([])
})

const failingWith = (code: string) => async () => {
  throw Object.assign(new Error(code), { code })
}

it.each(['EPERM', 'ENOTSUP', 'ENOSYS'])('copies if there are no hard links: %s', async (code) => {
  await fetchFile(addressOf('a'), file, 1_000, failingWith(code))
  expect(await readFile(file, 'utf8')).toBe('a'.repeat(1_000))
  expect(await readdir(folder)).toEqual(['x.csv'])
  await expect(fetchFile(addressOf('b'), file, 1_000, failingWith(code))).rejects.toThrow('already exists')
  expect(await readFile(file, 'utf8')).toBe('a'.repeat(1_000))
})

it('does not copy if a link fails for another reason', async () => {
  await expect(fetchFile(addressOf('a'), file, 1_000, failingWith('EACCES'))).rejects.toThrow('EACCES')
  await fetchFile(addressOf('a'), file, 1_000, link)
  expect(await readdir(folder)).toEqual(['x.csv'])
})
