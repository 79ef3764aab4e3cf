import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { launchChromium, skipReason } from '../../test/page/chromium.ts'
import { listen } from '../listen.ts'
import { pageServer } from '../page-server.ts'

const here = import.meta.dirname

/** A program that asks, and goes on when it gets an answer. */
const PROGRAM = `
const say = (message) => process.stdout.write(JSON.stringify(message) + '\\n')
say({ type: 'system', subtype: 'init', session_id: 's', apiKeySource: 'none', tools: ['Bash'], model: 'm', cwd: '/', uuid: 'u0' })
say({ type: 'assistant', session_id: 's', uuid: 'u1', message: { id: 'm1', role: 'assistant', model: 'm', content: [{ type: 'tool_use', id: 'call_1', name: 'Bash', input: { command: 'ls' } }], usage: { input_tokens: 1000000, output_tokens: 0 } } })
say({ type: 'control_request', request_id: 'r1', request: { subtype: 'can_use_tool', tool_name: 'Bash', input: { command: 'ls' }, tool_use_id: 'call_1' } })
process.stdin.once('data', (line) => {
  const { behavior } = JSON.parse(line).response.response
  say({ type: 'user', session_id: 's', uuid: 'u2', message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1', content: 'files' }] } })
  say({ type: 'assistant', session_id: 's', uuid: 'u3', message: { id: 'm2', role: 'assistant', model: 'm', content: [{ type: 'text', text: 'It was ' + behavior }], usage: { input_tokens: 1, output_tokens: 1 } } })
  say({ type: 'result', subtype: 'success', session_id: 's', uuid: 'u4', is_error: false, result: 'ok', duration_ms: 1, num_turns: 1 })
  process.exit(0)
})`

it.each([
  ['ts server', 'server.ts', 25],
  ['tsx client', 'client.tsx', 40],
])('docs/dashboard.md shows the code %s, which is %s with at most %i lines', async (name, file, most) => {
  const text = await readFile(join(here, '../../docs/dashboard.md'), 'utf8')
  const [, code] = new RegExp(`^\`\`\`${name}\n(.*?)^\`\`\``, 'ms').exec(text) ?? []
  // The formatter breaks long lines of the file, and adds signs to them.
  const bare = (text = '') => text.replace(/[\s,()]|\{' '\}/g, '')
  expect(bare(code)).toBe(bare(await readFile(join(here, file), 'utf8')))
  expect(code?.trim().split('\n').length).toBeLessThanOrEqual(most)
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
    for (const id of ['one', 'two']) await hub.answer(id, 'r1', 'deny')
    await Promise.all(runs)
    await first?.getByText('one: finished').waitFor()
    for (const tab of tabs) await tab.close()
    server.closeAllConnections()
    server.close()
    vi.unstubAllEnvs()
  }, 60_000)
})
