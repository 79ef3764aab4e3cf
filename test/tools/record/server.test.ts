import { afterEach, describe, expect, it } from 'vitest'
import { claudeCode } from '../../../tools/record/programs/claude-code.ts'
import { gemini } from '../../../tools/record/programs/gemini.ts'
import { scenarios } from '../../../tools/record/scenarios.ts'
import { type ModelServer, startModel } from '../../../tools/record/server/server.ts'

const servers: ModelServer[] = []

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

async function modelOf(name: string, { tools } = claudeCode, work = '/demo'): Promise<ModelServer> {
  const scenario = scenarios(claudeCode).find((each) => each.name === name)
  if (!scenario) throw new Error(`no scenario ${name}`)
  const server = await startModel(scenario, tools, work)
  servers.push(server)
  return server
}

/** A request of each dialect with one prompt, and where its stream has texts and calls. */
const DIALECTS = [
  {
    name: 'Anthropic messages',
    path: '/v1/messages',
    body: (text: string) => ({ messages: [{ role: 'user', content: text }], tools: [{ name: 'Bash' }] }),
    word: /"text_delta","text":"((?:[^"\\]|\\.)*)"/g,
    thinking: '"thinking_delta","thinking":"A "',
    call: '"type":"tool_use","id":"call_command_1_1","name":"Bash"',
    last: 'message_stop',
  },
  {
    name: 'OpenAI chat',
    path: '/v1/chat/completions',
    body: (text: string) => ({
      messages: [{ role: 'user', content: text }],
      tools: [{ function: { name: 'Bash' } }],
    }),
    word: /"delta":\{"content":"([^"]+)"/g,
    thinking: '"reasoning_content":"A "',
    call: '"id":"call_command_1_1","type":"function","function":{"name":"Bash"',
    last: '[DONE]',
  },
  {
    name: 'OpenAI responses',
    path: '/v1/responses',
    body: (text: string) => ({ input: [{ role: 'user', content: text }], tools: [{ name: 'Bash' }] }),
    word: /"type":"response.output_text.delta"[^}]*"delta":"([^"]*)"/g,
    thinking: '"type":"response.reasoning_summary_text.delta"',
    call: '"call_id":"call_command_1_1","name":"Bash"',
    last: 'response.completed',
  },
  {
    name: 'Gemini',
    path: '/v1beta/models/g:streamGenerateContent',
    body: (text: string) => ({
      contents: [{ role: 'user', parts: [{ text }] }],
      tools: [{ functionDeclarations: [{ name: 'Bash' }] }],
    }),
    word: /"parts":\[\{"text":"([^"]+)"\}\]/g,
    thinking: '"text":"A look first.","thought":true',
    call: '"functionCall":{"id":"call_command_1_1","name":"Bash"',
    last: 'usageMetadata',
  },
]

async function ask({ url }: ModelServer, { path, body }: (typeof DIALECTS)[number], text: string) {
  const init = { method: 'POST', body: JSON.stringify({ ...body(text), model: 'm', stream: true }) }
  return fetch(`${url}${path}`, init)
}

describe.each(DIALECTS)('the model in the dialect $name', (dialect) => {
  it('streams thinking, text and calls of the script', async () => {
    const server = await modelOf('command')
    const text = await (await ask(server, dialect, 'Run some commands.')).text()
    const words = Array.from(text.matchAll(dialect.word), ([, word]) => word).join('')
    expect(words).toBe('I look.')
    expect(text).toContain(dialect.thinking)
    expect(text).toContain(dialect.call)
    expect(text.trimEnd().split('\n').at(-1)).toContain(dialect.last)
    expect(server.log).toMatchObject([{ agent: 'main', step: 1, outcome: 'whole', tools: ['Bash'] }])
  })

  it('cuts the connection after the words of the script', async () => {
    const server = await modelOf('cut')
    const response = await ask(server, dialect, 'Tell me about the cut.')
    await expect(response.text()).rejects.toThrow()
    expect(server.log).toMatchObject([{ outcome: 'cut', sent: 'This answer is long enough to stop in its ' }])
  })

  it('refuses a request with the status of the script, and answers the next one', async () => {
    const server = await modelOf('retry')
    expect((await ask(server, dialect, 'Tell me about the retry.')).status).toBe(500)
    expect(await (await ask(server, dialect, 'Tell me about the retry.')).text()).toContain('second ')
  })

  it('names a request that no script foresees', async () => {
    const server = await modelOf('text')
    await (await ask(server, dialect, 'Something else.')).text()
    expect(server.log).toMatchObject([{ own: 'unscripted' }])
  })
})

it('tells agents with one prompt apart by what the model said to them', async () => {
  const server = await modelOf('parallel')
  const post = async (messages: readonly object[]) => {
    const body = JSON.stringify({ model: 'm', messages, tools: [{ name: 'Bash' }] })
    const response = await fetch(`${server.url}/v1/messages`, { method: 'POST', body })
    return (await response.json()).content
  }
  const user = (content: unknown) => ({ role: 'user', content })
  const task = user('Read the first line of notes.md.')
  const first = await post([task])
  const second = await post([task])
  await post([task, { role: 'assistant', content: second }, user('done')])
  await post([task, { role: 'assistant', content: first }, user('done')])
  expect(server.log.map(({ agent }) => agent)).toEqual(['A', 'C', 'C', 'A'])
})

it('takes no first text of an agent that fails for its report', async () => {
  const server = await modelOf('failure', gemini)
  const [, , , dialect] = DIALECTS
  if (!dialect) throw new Error('no dialect')
  const text = await (await ask(server, dialect, 'Begin, and then fail.')).text()
  expect(text).toContain('run_shell_command')
  expect(server.log).toMatchObject([{ agent: 'A', say: 'I begin.' }])
})

it('takes no prompt for a request for a summary because the folder has the name of the scenario', async () => {
  const server = await modelOf('compaction', claudeCode, '/tmp/compaction.work')
  const content = [
    { type: 'text', text: 'Count the lines.' },
    { type: 'text', text: '<environment>You work in /tmp/compaction.work</environment>' },
  ]
  const body = JSON.stringify({
    model: 'm',
    messages: [{ role: 'user', content }],
    tools: [{ name: 'Bash' }],
  })
  await (await fetch(`${server.url}/v1/messages`, { method: 'POST', body })).json()
  expect(server.log).toMatchObject([{ agent: 'main', say: 'I count.' }])
})
