import { describe, expect } from 'vitest'
import { basic, further } from '../depth.ts'
import { skipReason } from './chromium.ts'
import { call, EVIL, events, plan, request } from './decisions-events.ts'
import { callResult } from './events.ts'
import { agree, append, usePages } from './pages.ts'

describe.skipIf(skipReason)(`decisions, plans, files and cost ${skipReason ?? ''}`, () => {
  const { start, open } = usePages()

  /** Returns a page that shows the events. */
  async function shown() {
    const app = await start({ events })
    const page = await open(app)
    await app.ended
    await agree(page, app)
    return { app, page }
  }

  basic('announces the requests of all agents until they are answered', async () => {
    const { app, page } = await shown()
    const region = page.getByRole('region', { name: 'Open requests' })
    await expect.poll(() => region.getAttribute('aria-live')).toBe('assertive')
    await expect
      .poll(() => region.getByRole('button').allTextContents())
      .toEqual([`Waiting for you${EVIL}`, 'Waiting for youRead: /etc/hosts'])
    await expect.poll(() => page.locator('[data-session-status]').innerText()).toBe('waiting for you')
    await expect.poll(() => page.locator('[data-agent="S"]').getAttribute('data-status')).toBe('waiting')
    await expect.poll(() => page.locator('[data-block="test"] .status').innerText()).toBe('waiting for you')
    await region.getByRole('button', { name: 'Read: /etc/hosts' }).click()
    // The row takes the focus some frames after the scroll.
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('data-block'))).toBe('s')
    await append(app, [
      request('p', { toolUseId: 'test', status: 'complete', answer: 'allow' }),
      request('s', { status: 'complete', denied: true }, 'S'),
    ])
    await expect.poll(() => region.getByRole('button').count()).toBe(0)
    await expect.poll(() => page.locator('[data-session-status]').innerText()).toBe('running')
    await expect.poll(() => page.locator('[data-block="s"] .outcome').innerText()).toBe('denied')
    await expect.poll(() => page.locator('[data-block="p"] .outcome').innerText()).toBe('answered: allow')
    await expect.poll(() => page.locator('[data-block="p"] li').count()).toBe(0)
  })

  basic('says that a call was denied, and not that it failed', async () => {
    const { app, page } = await shown()
    await append(app, [
      call('no', { status: 'error' }),
      callResult({ id: 'no:result', toolUseId: 'no', status: 'error', isError: true, output: 'Not now.' }),
      request('no-request', { toolUseId: 'no', status: 'complete', denied: true }),
    ])
    const denied = page.locator('[data-block="no"]')
    await denied.waitFor()
    await expect.poll(() => denied.locator('.status').innerText()).toBe('denied')
    await expect.poll(() => denied.locator('details').getAttribute('open')).toBeNull()
    await denied.locator('summary').click()
    const result = page.locator('[data-block="no:result"]')
    await expect.poll(() => result.evaluate((each) => getComputedStyle(each).borderLeftWidth)).toBe('0px')
  })

  further('says that a call is interrupted, and not done, where the session ends', async () => {
    const { app, page } = await shown()
    await append(app, [
      { type: 'session:running' },
      call('late'),
      { type: 'session:idle', outcome: 'interrupted', cut: true },
    ])
    await expect.poll(() => page.locator('[data-block="late"] .status').innerText()).toBe('interrupted')
  })

  further('leaves most of a narrow page to the conversation while requests are open', async () => {
    const { page } = await shown()
    await page.setViewportSize({ width: 390, height: 844 })
    const bar = await page.locator('.side').evaluate((side) => side.getBoundingClientRect().height)
    expect(bar).toBeLessThan(844 / 4)
    await expect.poll(() => page.locator('.waiting-input').filter({ visible: true }).count()).toBe(0)
  })

  further('shows the text of a request as text', async () => {
    const { page } = await shown()
    await expect.poll(() => page.locator('[data-block="p"] [data-field="title"]').textContent()).toBe(EVIL)
    await expect.poll(() => page.locator('img').count()).toBe(0)
  })

  basic('shows the options of a request and the answer', async () => {
    const { page } = await shown()
    const options = (block: string) => page.locator(`[data-block="${block}"] li`).allTextContents()
    await expect.poll(() => options('p')).toEqual(['Allow', 'Allow always Adds a rule for npm', 'Deny'])
    await expect
      .poll(() => options('q'))
      .toEqual([
        'JSON (the answer) One object per line',
        'CSV For spreadsheets',
        'out',
        'My own words (the answer)',
      ])
    await expect.poll(() => options('n')).toEqual(['Yes'])
    await page.getByRole('article', { name: 'Permission, denied' }).getByText('Keep it.').waitFor()
    // The page is a viewer.
    await expect.poll(() => page.locator('.request button').count()).toBe(0)
  })

  basic('shows the plan of each agent', async () => {
    const { app, page } = await shown()
    const main = page.locator('[data-todos="main"]')
    const entries = () => main.getByRole('listitem').allTextContents()
    await page.getByRole('tab', { name: 'Todos 1/3' }).click()
    await expect
      .poll(() => entries())
      .toEqual([
        '✓Read the code',
        '▸Mend the sum in every place where it is wrong',
        '○Run the tests',
        '✕Write a page',
      ])
    await expect.poll(() => main.getByRole('img', { name: 'in progress' }).count()).toBe(1)
    await expect
      .poll(() => page.locator('[data-todos="S"] summary').innerText())
      .toContain('Look at the tests')
    await append(app, [plan([{ text: 'Run the tests', status: 'in_progress' }])])
    await expect.poll(entries).toEqual(['▸Run the tests'])
  })

  basic('shows the changed lines of a file with their signs', async () => {
    const { page } = await shown()
    await expect
      .poll(() => page.locator('[data-block="edit"] .result-preview').innerText())
      .toContain('+2 −1 lines')
    const diff = page.getByRole('group', { name: 'Changed lines of src/add.js' })
    await expect
      .poll(() => diff.locator('.added .line-text').allTextContents())
      .toEqual(['+  const sum = left + right', '+  return sum'])
    await expect
      .poll(() => diff.locator('.removed .line-text').allTextContents())
      .toEqual(['-  return left - right'])
    const message = page.locator('[data-block="u"]')
    await expect.poll(() => message.locator('summary').innerText()).toContain('1 file, +12 −0')
  })

  basic('shows the input of a call while it streams', async () => {
    const { app, page } = await shown()
    await page.locator('[data-block="write"] summary').click()
    const lines = () => page.locator('[data-block="write"] .added .line-text').allTextContents()
    await expect.poll(() => lines()).toEqual(['+# No'])
    await expect.poll(() => page.locator('[data-block="write"] summary code').innerText()).toBe('notes.md')
    const end = page.locator('[data-block="write"] .result-preview')
    await expect.poll(() => end.innerText()).toBe('# No')
    await append(app, [{ type: 'block:delta', blockId: 'write', delta: 'tes\\nThe sum' }])
    await expect.poll(lines).toEqual(['+# Notes', '+The sum'])
    await expect.poll(() => end.innerText()).toBe('The sum')
    await append(app, [
      call('write', { toolName: 'Write', input: { file_path: 'notes.md', content: '# All' } }),
    ])
    await expect.poll(lines).toEqual(['+# All'])
    await expect.poll(() => end.count()).toBe(0)
  })

  basic('shows the cost, the context and the changed files', async () => {
    const { page } = await shown()
    const fact = (name: string) => page.locator(`[data-fact="${name}"] dd`).innerText()
    await expect
      .poll(() => Promise.all(['Cost', 'Context', 'Changed'].map(fact)))
      .toEqual(['$0.08', '31.2K tokens', '2 files, +14 −1'])
    await page.setViewportSize({ width: 390, height: 800 })
    await expect.poll(() => page.locator('.facts').isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Contents' }).click()
    await expect.poll(() => fact('Cost')).toBe('$0.08')
    const overflow = await page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement
      return scrollWidth - clientWidth
    })
    expect(overflow).toBeLessThanOrEqual(0)
  })

  basic('shows an abandoned branch as a closed note', async () => {
    const { page } = await shown()
    const branch = page.locator('[data-branch="rewind"]')
    // One look at both: the page may move between two.
    await expect
      .poll(() =>
        branch.evaluate((each) => {
          const mark = document.querySelector('[data-block="rewind"]')
          return each.getBoundingClientRect().top >= (mark?.getBoundingClientRect().bottom ?? Infinity)
        }),
      )
      .toBe(true)
    await expect.poll(() => branch.getAttribute('open')).toBeNull()
    await branch.locator('summary').click()
    await branch.getByText('I delete the file.').waitFor({ state: 'visible' })
  })
})
