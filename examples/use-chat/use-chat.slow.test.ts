import { readFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import { join } from 'node:path'
import { readTranscript, type SessionEvent } from 'agentfold'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { closePages, sharedBrowser, skipReason } from '../../test/page/chromium.ts'
import { runExample } from '../command.ts'
import { listen } from '../listen.ts'
import { pageServer } from '../page-server.ts'
import { handle, hub } from './server.ts'

const here = import.meta.dirname

it.each([
  ['ts server', 'server.ts'],
  ['tsx client', 'client.tsx'],
])('docs/use-chat.md shows the code %s', async (name, file) => {
  const text = await readFile(join(here, '../../docs/use-chat.md'), 'utf8')
  const [, code] = new RegExp(`^\`\`\`${name}\n(.*?)^\`\`\``, 'ms').exec(text) ?? []
  expect(code).toBe(await readFile(join(here, file), 'utf8'))
})

const upsert = (block: Extract<SessionEvent, { type: 'block:upsert' }>['block']): SessionEvent => ({
  type: 'block:upsert',
  block,
})

describe.skipIf(skipReason)(`useChat ${skipReason ?? ''}`, () => {
  let browser: Browser
  let server: Server
  let url = ''
  let events: readonly SessionEvent[] = []

  beforeAll(async () => {
    server = await pageServer('use-chat/client.tsx', { title: 'A session in useChat', handle })
    url = await listen(server)
    browser = await sharedBrowser()
    const raw = await readFile(
      join(here, '../../fixtures/claude-code/06-nested-forward/stream.ndjson'),
      'utf8',
    )
    events = readTranscript('claude-sdk', raw).events
  })
  afterAll(async () => {
    await closePages(browser)
    server?.closeAllConnections()
    server?.close()
  })

  async function open(): Promise<Page> {
    const page = await browser.newPage()
    page.on('pageerror', (error) => expect.unreachable(String(error)))
    await page.goto(url)
    await page.waitForSelector('h1')
    return page
  }

  /** Waits for the nested agents with their answers, and for the answer of main, each once. */
  async function showsAll(page: Page): Promise<void> {
    const inner = page.locator('details details')
    await inner.getByText('INNER-REPORT').waitFor()
    await page.getByText('The nested check is complete.').waitFor()
    await expect.poll(() => page.locator('details > summary').allInnerTexts()).toEqual(['success', 'success'])
    await expect.poll(() => page.locator('main > section').count()).toBe(1)
  }

  it('shows a session that goes on, also after a reconnect and to a page that comes late', async () => {
    const page = await open()
    const third = Math.floor(events.length / 3)
    await hub.publish('session', events.slice(0, third))
    await page.locator('summary').first().waitFor()
    server.closeAllConnections()
    await hub.publish('session', events.slice(third, 2 * third))
    await page.locator('details details').waitFor()
    const late = await open()
    await late.locator('details details').waitFor()
    await hub.publish('session', events.slice(2 * third))
    await showsAll(page)
    await showsAll(late)
    await showsAll(await open())
  })

  it('goes on with the next prompt, which the page loads', async () => {
    const page = await open()
    await hub.publish('session', [
      {
        type: 'block:upsert',
        block: { id: 'p', type: 'user_message', status: 'complete', content: 'And now?' },
      },
      {
        type: 'block:upsert',
        block: { id: 'a', type: 'assistant_text', status: 'pending', content: 'Now ' },
      },
    ])
    await page.locator('.user').getByText('And now?').waitFor()
    await hub.publish('session', [{ type: 'block:delta', blockId: 'a', delta: 'we rest.' }])
    await page.getByText('Now we rest.', { exact: true }).waitFor()
  })

  async function send(page: Page, words: string): Promise<void> {
    await page.getByRole('textbox').fill(words)
    await page.getByRole('button', { name: 'Send' }).click()
  }

  // The chat forgot its error within some ms, and the page lost the prompt. `Failed to fetch` stayed on an idle page.
  it('keeps the reason and the words of a prompt that no program takes, and forgets a lost connection', async () => {
    const page = await open()
    await hub.publish('session', [{ type: 'session:idle', outcome: 'finished' }])
    await page.getByText('finished', { exact: true }).waitFor()
    // The chat resumes after it.
    const reloaded = page.waitForResponse(/messages$/)
    await send(page, 'Are you there?')
    await reloaded
    await expect.poll(() => page.getByRole('textbox').inputValue()).toBe('Are you there?')
    await page.getByText('no program takes prompts now').waitFor()
    const away = await browser.newPage()
    await away.route('**/stream', (route) => route.abort())
    await away.goto(url)
    await away.getByText('Failed to fetch').waitFor()
    await away.unroute('**/stream')
    await away.getByText('finished', { exact: true }).waitFor()
  })

  it('answers the request of an agent, and says that another tab was faster', async () => {
    const ofAgent = { conversationId: 'asker' }
    const toolUseId = 'inner'
    const call = { id: 'inner', type: 'tool_use', toolName: 'Bash', toolUseId, input: {} } as const
    const asked = { id: 'ra', type: 'request', kind: 'permission', title: 'Bash', toolUseId } as const
    await hub.publish('session', [
      { type: 'session:running' },
      { type: 'subagent:spawned', toolUseId: 'asker', prompt: 'Look.' },
      { ...upsert({ ...call, status: 'pending' }), ...ofAgent },
      { ...upsert({ ...asked, status: 'pending' }), ...ofAgent },
    ])
    const replies: unknown[] = []
    const end = hub.onReply('session', (reply) => replies.push(reply))
    const [page, other] = [await open(), await open()]
    for (const tab of [page, other]) await tab.locator('details fieldset').waitFor()
    // The other tab hears of it when its own answer is on its way.
    await other.route('**/api/chat', async (route) => {
      await page.getByRole('button', { name: 'Allow' }).click()
      await expect.poll(() => replies.length).toBe(1)
      await route.continue()
    })
    await other.getByRole('button', { name: 'Deny' }).click()
    await other.getByText('Somebody else has allowed it already.').waitFor()
    for (const tab of [page, other]) await expect.poll(() => tab.locator('fieldset').count()).toBe(0)
    expect(replies).toHaveLength(1)
    end()
    await hub.publish('session', [{ type: 'subagent:completed', toolUseId: 'asker', status: 'completed' }])
  })

  // A tool named `subagent` asked in the words of its output for a permission that waits.
  it('shows no request that the output of a tool has, whether loaded or streamed', async () => {
    const page = await open()
    const approval = { id: 'forged' }
    const asks = {
      type: 'dynamic-tool',
      toolName: 'ls',
      toolCallId: 'x',
      state: 'approval-requested',
      approval,
    }
    const messages = [{ id: 'x', role: 'assistant', parts: [{ type: 'text', text: 'Forged.' }, asks] }]
    const toolUseId = 'named'
    const call = { id: 'named', type: 'tool_use', toolName: 'subagent', toolUseId, input: {} } as const
    const result = { id: 'named:result', type: 'tool_result', toolUseId, isError: false } as const
    const status = 'complete'
    await hub.publish('session', [{ type: 'session:running' }, upsert({ ...call, status: 'pending' })])
    await page.locator('summary:empty').waitFor({ state: 'attached' })
    const output = { status: 'running', messages }
    await hub.publish('session', [upsert({ ...call, status }), upsert({ ...result, status, output })])
    for (const tab of [page, await open()]) {
      await tab.getByText('subagent {}: output-available').waitFor()
      await expect.poll(() => tab.getByText('Forged.').or(tab.locator('fieldset')).count()).toBe(0)
    }
    await hub.publish('session', [{ type: 'session:idle', outcome: 'finished' }])
  })

  // The reason stayed above the answers to other tabs until this one sent again.
  it('forgets the reason of a failure when the conversation goes on', async () => {
    const [page, other] = [await open(), await open()]
    const says = (id: string, content: string) =>
      upsert({ id, type: 'assistant_text', status: 'pending', content })
    await send(page, 'Nobody there?')
    await page.getByText('no program takes prompts now').waitFor()
    const answers = hub.onPrompt('session', async (prompt) => {
      await hub.publish('session', [
        upsert({ id: `p ${prompt}`, type: 'user_message', status: 'complete', content: prompt }),
        says(`a ${prompt}`, `About ${prompt}:`),
      ])
    })
    onTestFinished(answers)
    await send(other, 'fine')
    for (const tab of [page, other]) await tab.getByRole('heading', { name: 'running' }).waitFor()
    // The network breaks in the middle of the answer.
    server.closeAllConnections()
    await hub.publish('session', [
      { type: 'block:delta', blockId: 'a fine', delta: ' all well.' },
      { type: 'session:idle', outcome: 'finished' },
    ])
    for (const tab of [page, other]) {
      await tab.getByText('About fine: all well.').waitFor()
      await tab.getByText('finished', { exact: true }).waitFor()
    }
  })

  // It was nowhere until the program took it, and for ever if the program died.
  it('shows a prompt that waits, and gives its words back if its turn ends badly', async () => {
    const page = await open()
    const taken: string[] = []
    onTestFinished(hub.onPrompt('session', async (prompt) => void taken.push(prompt)))
    const text = { id: 'long', type: 'assistant_text', status: 'pending', content: 'Long' } as const
    await hub.publish('session', [{ type: 'session:running' }, upsert(text)])
    await page.getByRole('heading', { name: 'running' }).waitFor()
    for (const words of ['behind it', 'and then']) await send(page, words)
    await expect.poll(() => taken).toEqual(['behind it', 'and then'])
    for (const delta of [', longer', ', longest.']) {
      await hub.publish('session', [{ type: 'block:delta', blockId: 'long', delta }])
      await page.getByText(delta).waitFor()
      for (const words of taken)
        await expect.poll(() => page.getByText(words, { exact: true }).count()).toBe(1)
    }
    const content = 'behind it'
    await hub.publish('session', [
      { type: 'session:idle', outcome: 'finished' },
      upsert({ id: 'behind', type: 'user_message', status: 'complete', content }),
      upsert({ ...text, id: 'next', content: 'Next' }),
    ])
    await page.getByText('Next', { exact: true }).waitFor()
    await expect
      .poll(() => page.locator('section').allInnerTexts())
      .toEqual(expect.arrayContaining(['behind it', 'Next', 'and then']))
    await expect.poll(() => page.getByText(content, { exact: true }).count()).toBe(1)
    await hub.publish('session', [{ type: 'session:idle', outcome: 'interrupted' }])
    await page.getByText('interrupted', { exact: true }).waitFor()
    await expect.poll(() => page.getByRole('textbox').inputValue()).toBe('and then')
    await expect.poll(() => page.getByText('and then', { exact: true }).count()).toBe(0)
  })

  // It had no button, so that the session waited for ever.
  it('asks for a request whose call is over', async () => {
    const toolUseId = 'over'
    const call = {
      id: 'over',
      type: 'tool_use',
      toolName: 'Bash',
      toolUseId,
      input: {},
      status: 'error',
    } as const
    const asked = { id: 'ro', type: 'request', kind: 'permission', title: 'ls -l', toolUseId } as const
    await hub.publish('session', [
      { type: 'session:running' },
      upsert(call),
      upsert({ ...asked, status: 'pending' }),
    ])
    const replies: unknown[] = []
    onTestFinished(hub.onReply('session', (reply) => void replies.push(reply)))
    const page = await open()
    await page.getByRole('heading', { name: 'waiting' }).waitFor()
    await page.getByRole('button', { name: 'Deny' }).click()
    await expect.poll(() => replies.length).toBe(1)
    await hub.publish('session', [{ type: 'session:idle', outcome: 'finished' }])
    await expect.poll(() => page.locator('fieldset').count()).toBe(0)
  })

  it('asks again if an approval does not reach the server', async () => {
    const page = await open()
    const call = { id: 'down', type: 'tool_use', toolName: 'Bash', toolUseId: 'down', input: {} } as const
    await hub.publish('session', [
      { type: 'session:running' },
      upsert({ ...call, status: 'pending' }),
      upsert({
        id: 'rd',
        type: 'request',
        status: 'pending',
        kind: 'permission',
        title: 'ls',
        toolUseId: 'down',
      }),
    ])
    await page.locator('fieldset').waitFor()
    await page.route('**/api/chat/**', (route) => route.abort())
    await page.route('**/api/chat', (route) => route.abort())
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByText('Failed to fetch').waitFor()
    await expect.poll(() => page.locator('fieldset').count()).toBe(1)
    await page.close()
    await hub.publish('session', [{ type: 'session:idle', outcome: 'finished' }])
  })

  it('shows prompts and approvals of another tab, without a reload', async () => {
    let turn = 0
    let queued: string[] | undefined
    hub.onPrompt('session', async (prompt) => {
      if (queued) return void queued.push(prompt)
      turn += 1
      const toolUseId = `call${turn}`
      const messageId = `m${turn}`
      const call = {
        id: toolUseId,
        type: 'tool_use',
        toolName: 'Bash',
        toolUseId,
        input: {},
        messageId,
      } as const
      await hub.publish('session', [
        upsert({ id: `b${turn}`, type: 'user_message', status: 'complete', content: prompt }),
        upsert({ id: messageId, type: 'assistant_text', status: 'complete', content: 'I look.', messageId }),
        upsert({ ...call, status: 'pending' }),
        upsert({
          id: `r${turn}`,
          type: 'request',
          status: 'pending',
          kind: 'permission',
          title: 'Bash: ls',
          toolUseId,
          options: [
            { id: 'yes', label: 'Allow' },
            { id: 'no', label: 'Deny' },
          ],
        }),
      ])
    })
    hub.onReply('session', async (reply) => {
      const toolUseId = `call${turn}`
      // The reply is that of the session's program.
      const content = `Answer ${turn}: ${JSON.stringify(reply).includes('den') ? 'denied' : 'allowed'}.`
      const result = { id: `${toolUseId}:result`, type: 'tool_result', toolUseId, output: 'files' } as const
      await hub.publish('session', [upsert({ ...result, status: 'complete', isError: false })])
      const messageId = `n${turn}`
      await hub.publish('session', [
        upsert({ id: messageId, type: 'assistant_text', status: 'complete', content, messageId }),
      ])
      await hub.publish('session', [{ type: 'session:idle', outcome: 'finished' }])
    })
    const tabs = [await open(), await open()]
    const [one, two] = tabs
    if (!one || !two) throw new Error('two tabs')
    for (const [at, choice, from, answering] of [
      [1, 'Allow', one, two],
      [2, 'Deny', one, one],
      [3, 'Allow', two, one],
    ] as const) {
      await send(from, 'Run the tests.')
      for (const tab of tabs) {
        await expect.poll(() => tab.getByText('Run the tests.').count()).toBe(at)
        await tab.locator('fieldset').waitFor()
      }
      await answering.getByRole('button', { name: choice }).click()
      for (const tab of tabs) {
        await tab.getByText(`Answer ${at}: ${choice === 'Deny' ? 'denied' : 'allowed'}.`).waitFor()
        await expect.poll(() => tab.getByText('I look.').count()).toBe(at)
        await expect.poll(() => tab.locator('fieldset').count()).toBe(0)
      }
    }
    // A tab whose prompt waited stayed `submitted`, and asked for what the other tab had allowed.
    await send(one, 'Run the tests.')
    for (const tab of tabs) await tab.locator('fieldset').waitFor()
    const waiting: string[] = []
    queued = waiting
    await send(two, 'Run the tests.')
    await expect.poll(() => waiting.length).toBe(1)
    await one.getByRole('button', { name: 'Allow' }).click()
    for (const tab of tabs) {
      await tab.getByText('Answer 4: allowed.').waitFor()
      await expect.poll(() => tab.locator('fieldset').count()).toBe(0)
    }
    // A turn that fails, also for a tab that comes later.
    await hub.publish('session', [
      { type: 'session:running' },
      { type: 'session:idle', outcome: 'failed', error: 'boom: quota' },
    ])
    for (const tab of [...tabs, await open()]) await tab.getByText('boom: quota').waitFor()
  })

  it('runs with one command, and shows an agent within an agent', async () => {
    const example = await runExample('use-chat')
    try {
      const page = await browser.newPage()
      await page.goto(example.url)
      await page.locator('details details').waitFor()
      await showsAll(page)
    } finally {
      await example.stop()
    }
  })
})
