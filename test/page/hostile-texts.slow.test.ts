import {
  createInitialConversationState,
  reduceSessionEvents,
  type SessionConversationState,
  type SessionEvent,
} from 'agentfold'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { languages } from '../../src/cli/markdown/highlight.ts'
import { skipReason } from './chromium.ts'
import { callResult, finishedCall, finishedText } from './events.ts'
import { ALIASES, HOSTILE_OUTPUTS, HOSTILE_TEXTS, SAMPLES } from './hostile-texts.ts'
import { useReports } from './reports.ts'

const fold = (...events: readonly SessionEvent[]): SessionConversationState =>
  reduceSessionEvents(createInitialConversationState(), events)

/** A session with the event between two harmless texts. */
const around = (...events: readonly SessionEvent[]): SessionConversationState =>
  fold(finishedText('first', 'GOODTEXTONE'), ...events, finishedText('last', 'GOODTEXTTWO'))

async function expectGoodTexts(page: Page): Promise<void> {
  const conversation = page.getByRole('region', { name: 'Conversation' })
  for (const text of ['GOODTEXTONE', 'GOODTEXTTWO']) await conversation.getByText(text).waitFor()
}

const image = (base64: string, mediaType: string): SessionEvent => ({
  type: 'block:upsert',
  block: {
    ...{ type: 'user_message', id: 'image', status: 'complete' },
    content: [{ type: 'image', source: { type: 'base64', mediaType, data: base64 } }],
  },
})

/** The beginning of a PNG of one colour. */
function pngOf(width: number, height: number): string {
  const header = Buffer.from('89504e470d0a1a0a0000000d4948445200000000000000000100000000', 'hex')
  header.writeUInt32BE(width, 16)
  header.writeUInt32BE(height, 20)
  return header.toString('base64')
}

describe.skipIf(skipReason)(`a page with a hostile text ${skipReason ?? ''}`, () => {
  const { open } = useReports()

  it.each(Object.entries(HOSTILE_TEXTS))('shows them and the texts around them: %s', async (_, texts) => {
    const page = await open(around(...texts.map(([name, text]) => finishedText(name, text))))
    await expectGoodTexts(page)
    for (const [name] of texts) {
      const words = await page.locator(`[data-block="${name}"]`).textContent()
      expect(words?.trim(), name).not.toBe('')
    }
  })

  it.each(Object.entries(HOSTILE_OUTPUTS))(
    'shows an output of %s when its call is open',
    async (_, output) => {
      const result = callResult({ id: 'result', toolUseId: 'call', output })
      const page = await open(around(finishedCall('call', { command: 'x' }), result))
      await page.keyboard.press('e')
      await expectGoodTexts(page)
      const shown = await page.evaluate(() => document.body.innerText)
      // No code of a terminal and no text without a limit is on the page.
      expect(shown).not.toContain('\u001b')
      expect(shown.length).toBeLessThan(500_000)
    },
  )

  it('shows code in each language with its colours', async () => {
    expect(Object.keys(SAMPLES).sort()).toEqual([...languages].sort())
    const names = [...languages, ...Object.keys(ALIASES)]
    const codeOf = (name: string) => SAMPLES[ALIASES[name] ?? name] ?? ''
    const texts = names.map((name) => finishedText(name, `\`\`\`${name}\n${codeOf(name)}\n\`\`\``))
    const page = await open(around(...texts))
    await expectGoodTexts(page)
    for (const name of names) {
      const code = page.locator(`[data-block="${name}"] code`)
      await expect.poll(() => code.textContent(), { message: name }).toBe(codeOf(name))
      await expect.poll(() => code.locator('[class^="code-"]').count(), { message: name }).toBeGreaterThan(0)
    }
  })

  it.each(['css', 'html', 'py', 'js'])(
    'shows a written file of the type %s when its call is open',
    async (end) => {
      const content = { css: '@media(', html: '<style>', py: 'f"{', js: '`${' }[end]?.repeat(2_500) ?? ''
      const page = await open(around(finishedCall('call', { file_path: `/x/a.${end}`, content })))
      await page.keyboard.press('e')
      await expectGoodTexts(page)
      await expect
        .poll(() => page.locator('[data-block="call"]').textContent())
        .toContain(content.slice(0, 100))
    },
  )

  it.each([
    ['a PNG of gigabytes', pngOf(16_000, 16_000), '16000 × 16000 pixels'],
    ['an image of unknown size', btoa('II*\u0000'), 'of unknown size'],
  ])('draws %s only when the reader asks for it', async (_, data, size) => {
    const page = await open(around(image(data, 'image/png')))
    await expectGoodTexts(page)
    await expect.poll(() => page.locator('img').count()).toBe(0)
    await page.getByRole('button', { name: `Show the image, ${size}` }).click()
    await expect.poll(() => page.locator('img[loading="lazy"]').count()).toBe(1)
  })

  it('shows marks of directions, and obeys none of them', async () => {
    const texts = ['a\u202eb', '`a\u2066b`', 'a&#x202e;b &rlm; &#8207;', '```\u202e\na\u200fb\n```']
    const page = await open(
      fold(
        ...texts.map((text, at) => finishedText(`t${at}`, text)),
        finishedCall('call', { command: 'rm \u202ex' }),
      ),
    )
    await page.keyboard.press('e')
    const shown = await page.evaluate(() => document.body.innerText)
    expect(shown).not.toMatch(/\p{Bidi_Control}/u)
    for (const text of ['a\ufffdb', 'a\ufffdb \ufffd \ufffd', 'rm \ufffdx']) expect(shown).toContain(text)
    const hidden = await page.locator('.rows').evaluate((rows) => /\p{Bidi_Control}/u.test(rows.innerHTML))
    expect(hidden).toBe(false)
  })
})
