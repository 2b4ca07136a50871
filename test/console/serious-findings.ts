import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** What axe calls serious or critical on the page as it is now. */
export async function seriousFindings(page: Page): Promise<string[]> {
  // Not as a script element: the page's own policy would refuse it.
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate<axe.AxeResults>(`axe.run(document, { resultTypes: ['violations'] })`)
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`)
}
