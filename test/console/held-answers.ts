import type { Page, Request } from 'playwright-core'
import { vi } from 'vitest'

/**
 * Time to wait after a response is released. The page handles the response much sooner, so any wrong effect is visible
 * after this time.
 */
const settleMs = 300

/**
 * Holds back the responses to all requests for which `isMeant` is true. The test can release the responses in any
 * order.
 */
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
