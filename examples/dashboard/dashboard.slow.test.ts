import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import type { SessionEvent } from 'agentfold'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { launchChromium, skipReason } from '../../test/page/chromium.ts'
import { runExample } from '../command.ts'
import { listen } from '../listen.ts'
import { pageServer } from '../page-server.ts'
import { PROGRAM } from './program.ts'
import { silentProxy } from './silent-proxy.ts'

const here = import.meta.dirname

it.each([
  ['ts server', 'server.ts', 22],
  ['tsx client', 'client.tsx', 40],
])('docs/dashboard.md shows the code %s, which is %s with at most %i lines', async (name, file, most) => {
  const text = await readFile(join(here, '../../docs/dashboard.md'), 'utf8')
  const [, code] = new RegExp(`^\`\`\`${name}\n(.*?)^\`\`\``, 'ms').exec(text) ?? []
  // The formatter breaks long lines of the file, and adds signs to them.
  const bare = (text = '') => text.replace(/[\s,()]|\{' '\}/g, '')
  expect(bare(code)).toBe(bare(await readFile(join(here, file), 'utf8')))
  expect(code?.trim().split('\n').length).toBeLessThanOrEqual(most)
})

/** A program that asks when it has closed its input, and ends with the file. */
const DEAF = `const { closeSync, watch } = require('node:fs')
closeSync(0)
const request = { subtype: 'can_use_tool', tool_name: 'Bash', input: { command: 'ls' }, tool_use_id: 'call_1' }
console.log(JSON.stringify({ type: 'system', subtype: 'init', session_id: 's', apiKeySource: 'none', tools: ['Bash'], model: 'm', cwd: '/', uuid: 'u' }))
console.log(JSON.stringify({ type: 'control_request', request_id: 'r1', request }))
watch(process.argv[1], () => process.exit())`

it('says that an answer did not reach a program that has closed its input', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'agentfold-dashboard-'))
  const file = join(folder, 'alive')
  await writeFile(file, '')
  onTestFinished(() => rm(file))
  vi.stubEnv('SESSIONS', folder)
  onTestFinished(() => void vi.unstubAllEnvs())
  const { hub, start } = await import('./server.ts')
  void start('deaf', [process.execPath, '-e', DEAF, file])
  await vi.waitFor(async () => expect((await hub.state('deaf'))?.blocks.at(-1)?.type).toBe('request'), 20_000)
  await expect(hub.answer('deaf', 'r1', 'allow')).rejects.toMatchObject({ code: 'not-delivered' })
})

describe.skipIf(skipReason)(`the dashboard ${skipReason ?? ''}`, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
  })
  afterAll(() => browser?.close())

  it('shows several sessions in two tabs over a connection each, and a person answers in one', async () => {
    vi.stubEnv('SESSIONS', await mkdtemp(join(tmpdir(), 'agentfold-dashboard-')))
    const { handle, hub, start } = await import('./server.ts')
    const requests: string[] = []
    const server = await pageServer('dashboard/client.tsx', {
      title: 'Sessions',
      handle: (request, response) => {
        requests.push(`${request.method} ${request.url}`)
        handle(request, response)
      },
    })
    const url = await listen(server)
    const program = [process.execPath, '-e', PROGRAM]
    const runs = ['one', 'two', 'three'].map((id) => start(id, program))
    const tabs = [await browser.newPage(), await browser.newPage()]
    for (const tab of tabs) await tab.goto(url)
    const [first, second] = tabs
    await first?.getByText('three: waiting').click()
    await second?.getByText('three: waiting').click()
    await second?.getByText('$5.00').waitFor()
    await first?.getByText('Allow', { exact: true }).first().click()
    for (const tab of tabs) {
      await tab.getByText('It was allow').waitFor()
      await tab.getByText('three: finished').waitFor()
      await tab.getByText('one: waiting').waitFor()
    }
    // Each tab has one stream; a tab that opens a session asks anew.
    expect(requests.filter((line) => line.startsWith('POST'))).toEqual(['POST /three/requests/r1'])
    for (const id of ['one', 'two']) await hub.answer(id, 'r1', 'allow')
    await Promise.all(runs)
    await first?.getByText('one: finished').waitFor()
    for (const tab of tabs) await tab.close()
    server.closeAllConnections()
    server.close()
    vi.unstubAllEnvs()
  }, 60_000)

  it('takes one connection for each tab, and five tabs leave one for an answer', async () => {
    vi.stubEnv('SESSIONS', await mkdtemp(join(tmpdir(), 'agentfold-dashboard-')))
    onTestFinished(() => void vi.unstubAllEnvs())
    const { handle, hub } = await import('./server.ts')
    const server = await pageServer('dashboard/client.tsx', { title: 'Sessions', handle })
    onTestFinished(() => void server.close().closeAllConnections())
    const url = await listen(server)
    const ids = ['left', 'right']
    for (const id of ids) {
      hub.onReply(id, () => {})
      await hub.publish(id, ASKING)
    }
    const context = await browser.newContext()
    onTestFinished(() => context.close())
    const open = async (): Promise<Page> => {
      const tab = await context.newPage()
      await tab.goto(url)
      for (const id of ids) {
        await tab.getByText(`${id}: waiting`).click()
        await tab.getByRole('heading', { name: `${id} (live)` }).waitFor()
      }
      return tab
    }
    const tabs = [await open(), await open(), await open()]
    const count = promisify(server.getConnections.bind(server))
    // The browser may keep one more for a while, on which it has loaded the page.
    await expect.poll(count).toBeGreaterThanOrEqual(3)
    await expect.poll(count).toBeLessThanOrEqual(4)
    tabs.push(await open(), await open())
    await tabs[4]?.getByText('Allow', { exact: true }).click()
    for (const tab of tabs) await expect.poll(() => tab.getByText('Allow', { exact: true }).count()).toBe(0)
  }, 60_000)

  it('is right after a sleep, a killed server and a dead program', async () => {
    const sessions = await mkdtemp(join(tmpdir(), 'agentfold-dashboard-'))
    vi.stubEnv('SESSIONS', sessions)
    onTestFinished(() => void vi.unstubAllEnvs())
    let server = await runExample('dashboard')
    onTestFinished(() => server.stop())
    const { port } = new URL(server.url)
    const network = await silentProxy(Number(port))
    onTestFinished(() => network.close())
    const context = await browser.newContext()
    onTestFinished(() => context.close())
    const [awake, asleep] = [await context.newPage(), await context.newPage()]
    await awake.goto(server.url)
    await asleep.clock.install()
    await asleep.goto(network.url)
    await awake.getByText('two: waiting').click()
    await asleep.getByText('three: waiting').click()
    await asleep.getByRole('heading', { name: 'three (live)' }).waitFor()

    // The connection of a tab that sleeps breaks without a sign. Meanwhile a session ends, and a program dies that waits.
    const changes = await changesOf(asleep)
    network.silence()
    await awake.getByText('Deny', { exact: true }).click()
    await awake.getByText('two: failed').waitFor()
    await expect.poll(() => awake.getByText('Allow', { exact: true }).count()).toBe(0)
    await awake.getByText('three: waiting').click()
    await awake.getByText('Allow', { exact: true }).click()
    await awake.getByText('three: finished').waitFor()
    await wake(asleep)
    // Without its check at once, a page notices the silence after 45 s.
    await asleep.getByText('It was allow').waitFor({ timeout: 30_000 })
    const shown = await changes()
    expect(shown.some((text) => text.includes('three (lost)'))).toBe(true)
    expect(shown.filter((text) => text.includes('three (live)') && !text.includes('It was allow'))).toEqual(
      [],
    )
    await asleep.getByText('two: failed').waitFor()

    // A server that is killed says nothing to its pages. Its programs die with it.
    await awake.getByText('one: waiting').click()
    await awake.getByRole('heading', { name: 'one (live)' }).waitFor()
    await server.kill()
    for (const [tab, id] of [
      [awake, 'one'],
      [asleep, 'three'],
    ] as const)
      await tab.getByRole('heading', { name: `${id} (lost)` }).waitFor()
    server = await runExample('dashboard', port)
    const late = await context.newPage()
    await late.goto(server.url)
    for (const tab of [late, awake, asleep]) {
      await tab.getByText('one: interrupted').waitFor()
      for (const id of ['one', 'two', 'three']) {
        await tab.getByRole('button', { name: `${id}:` }).click()
        await tab.getByRole('heading', { name: `${id} (live)` }).waitFor()
        await tab
          .getByText(id === 'three' ? 'It was allow' : 'tool_use')
          .first()
          .waitFor()
        await expect.poll(() => tab.getByText('Allow', { exact: true }).count()).toBe(0)
      }
      await expect
        .poll(
          async () => (await tab.locator('body').innerText()) === (await late.locator('body').innerText()),
        )
        .toBe(true)
    }
  }, 120_000)
})

/** A session that waits for a person. */
const ASKING: readonly SessionEvent[] = [
  {
    type: 'block:upsert',
    block: {
      id: 'r',
      type: 'request',
      status: 'pending',
      kind: 'permission',
      title: 'Bash: ls',
      options: [{ id: 'allow', label: 'Allow' }],
    },
  },
]

/** Wakes a tab as a browser does after a sleep of 20 s: its clock has gone on, and it is shown again. */
async function wake(tab: Page): Promise<void> {
  await tab.clock.fastForward(20_000)
  await tab.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
}

/** Returns what the tab shows from now on, at each change. */
async function changesOf(tab: Page): Promise<() => Promise<readonly string[]>> {
  const seen = await tab.evaluateHandle(() => {
    const texts: string[] = []
    const note = () => texts.push(document.body.innerText)
    new MutationObserver(note).observe(document.body, { subtree: true, childList: true, characterData: true })
    return texts
  })
  return () => seen.jsonValue()
}
