import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** Returns the problems that axe finds, each with the elements that have it. */
export async function problemsOn(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source)
  const found = await page.evaluate(
    'axe.run(document, { resultTypes: ["violations"], rules: { "target-size": { enabled: true } } })',
  )
  const { violations: list }: { violations: readonly { id: string; nodes: readonly { html: string }[] }[] } =
    JSON.parse(JSON.stringify(found))
  return list.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join('\n')}`)
}
