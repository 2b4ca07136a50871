import type { Page, Request } from 'playwright-core'
import { vi } from 'vitest'

/** An answer that is let go is in the page well within this; what it would do wrong can be seen then. */
const settleMs = 300

/** From now on keeps back the answers to some requests, until a test lets them go, in whatever order. */
export async function holdAnswers(page: Page, isMeant: (request: Request) => boolean) {
  const held: (() => Promise<void>)[] = []
  await page.route('**/*', async (route) => {
    if (!isMeant(route.request())) return route.fallback()
    const response = await route.fetch()
    held.push(() => route.fulfill({ response }))
    return undefined
  })
  return {
    arrived: (answers: number) => vi.waitUntil(() => held.length === answers, { timeout: 20_000 }),
    release: async (position: number) => {
      await held[position]?.()
      await page.waitForTimeout(settleMs)
    },
  }
}
