import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'
import { openQuestionWorld, question, type QuestionWorld } from '../questions/question-world.ts'

export type LinkWorld = QuestionWorld & {
  /** Creates a link of the question `speed`, or of another. Returns its path. */
  readonly share: (more?: object, given?: { token?: string; key?: string }) => Promise<string>
  /** Reads a path as a visitor does: without a token. */
  readonly visit: (path: string, headers?: Record<string, string>) => Promise<Visit>
}

type Visit = { readonly status: number; readonly headers: Headers; readonly text: string }

export async function openLinkWorld(settings: Readonly<Record<string, string>> = {}): Promise<LinkWorld> {
  const world = await openQuestionWorld(settings)
  await world.send('PUT', '/questions/speed', { body: question })
  const share: LinkWorld['share'] = async (more = {}, { token = world.tokens.north, key = 'speed' } = {}) => {
    const { status, text, body } = await world.send('POST', `/questions/${key}/links`, {
      token,
      body: { label: 'a test', ...more },
    })
    expect([status, text]).toEqual([200, expect.any(String)])
    return (body['data'] as { path: string }).path
  }
  const visit: LinkWorld['visit'] = async (path, headers = {}) => {
    const response = await fetch(`${world.base}${path}`, { headers })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  return { ...world, share, visit }
}

export const basic = (password: string, user = 'anyone'): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
})

/** Waits until the link no longer answers, and returns the milliseconds that it took. */
export async function endOf({ visit }: LinkWorld, path: string): Promise<number> {
  const startedAt = performance.now()
  for (;;) {
    const { status } = await visit(`${path}.json`)
    if (status === 404) return performance.now() - startedAt
    expect(status).toBe(200)
    if (performance.now() - startedAt > 5_000) throw new Error('the link still works')
    await pause(20)
  }
}
