import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { bodyPieces } from '../../../src/http/connection/stream-body.ts'

const broken = (code: string) =>
  Readable.from(
    (async function* () {
      yield Buffer.from('{')
      throw Object.assign(new Error('aborted'), { code })
    })(),
  )

const read = async (body: Readable): Promise<number> => {
  let bytes = 0
  for await (const piece of bodyPieces(body, async () => {})) bytes += piece.length
  return bytes
}

it('reports a reset by the sender as a disconnect, and passes other errors on', async () => {
  await expect(read(broken('ECONNRESET'))).rejects.toMatchObject({ code: 'BAD_REQUEST', detail: 'the caller hung up' })
  await expect(read(broken('ERR_OTHER'))).rejects.toMatchObject({ code: 'ERR_OTHER' })
})

it('does not destroy the stream if the reader stops half-way', async () => {
  const body = Readable.from([Buffer.from('a'), Buffer.from('b')])
  for await (const _ of bodyPieces(body, async () => {})) break
  expect(body.destroyed).toBe(false)
})
