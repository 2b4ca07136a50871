import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** The violations on the current page that axe reports as serious or critical. */
export async function seriousFindings(page: Page): Promise<string[]> {
  // Run axe with `evaluate`: the page's Content Security Policy would block a script element.
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate<axe.AxeResults>(`axe.run(document, { resultTypes: ['violations'] })`)
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`)
}
