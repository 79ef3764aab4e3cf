import { describe, expect, it } from 'vitest'
import { createSessionHub } from '../../../src/entries/hub.ts'
import { pendingRequests, sessionStatus } from '../../../src/entries/index.ts'
import { createMemoryLog } from '../../../src/entries/log.ts'
import { loadedSourceOf as sourceOf } from '../../../src/wires/sources.ts'
import { inputs } from '../../wires/inputs.ts'

const NAMES = [
  /^claude-sdk, 0[19]-(permission|question) of requests, stream/,
  /^opencode, 0[15]-(permission|question), events/,
  /^codex, 15-approval, app-server$/,
  /^kimi, 11c-permission-web, events/,
  /^qwen, 11-requests-sdk, sdk/,
  /^pi, 11-requests, rpc/,
  /^copilot, 11-permissions, log/,
  /^acp, (05-claude|24-opencode)-permission, log/,
]
const waiting = inputs.filter(({ name }) => NAMES.some((each) => each.test(name)))

// Reproduced with a page that kept its buttons for ever: people leave an approval open, and the server is deployed.
describe.each(waiting)('a server that restarts while $name waits', ({ architecture, messages, source }) => {
  it('withdraws the request of a program that is dead', async () => {
    const log = createMemoryLog()
    let session = source.open()
    let at = 0
    while (pendingRequests(session.state).length === 0 && at < messages.length) {
      session = source.read(session, [messages[at]]).session
      at += 1
    }
    const killed = createSessionHub({ log })
    // Its process ends without the end of the output.
    void killed.pipe('s', outputWithoutEnd(messages.slice(0, at)), architecture)
    await expect.poll(async () => pendingRequests((await killed.state('s')) ?? session.state).length).toBe(1)
    const hub = createSessionHub({ log })
    await expect.poll(async () => (await hub.state('s'))?.turn.status).toBe('running')
    await hub.pipe('s', [], architecture)
    const state = await hub.state('s')
    expect(state && [sessionStatus(state), pendingRequests(state)]).toEqual(['interrupted', []])
  })
})

// A page showed the request of a dead program again, and its answer allowed the command of another one.
describe.each(waiting.filter(({ architecture }) => !/opencode|kimi/.test(architecture)))(
  'a process after one that died while $name waited',
  ({ architecture, messages, source }) => {
    const at = messages.findIndex((_, index) => {
      const { state } = source.read(source.open(), messages.slice(0, index + 1)).session
      return pendingRequests(state).length > 0
    })
    const pendingAfter = async (...outputs: readonly (readonly unknown[])[]) => {
      const hub = createSessionHub()
      const ids: (readonly string[])[] = []
      async function* watched(output: readonly unknown[]) {
        for (const message of output) {
          yield message
          ids.push(
            pendingRequests((await hub.state('s')) ?? source.open().state).map(({ block }) => block.id),
          )
        }
      }
      for (const output of outputs) {
        ids.length = 0
        await hub.pipe('s', watched(output), architecture)
      }
      return ids
    }
    const asked = messages.slice(0, at + 1)
    // Another request may have the same number.
    const isCounted = architecture === 'acp' || architecture === 'codex'

    it('does not open the request again, unless the program asks again', async () => {
      const [first = []] = (await pendingAfter(asked)).slice(-1)
      expect(first).toHaveLength(1)
      for (const outputs of [[asked], [asked, []]]) {
        expect((await pendingAfter(...outputs, messages.slice(at + 1))).flat()).not.toContain(first[0])
        const again = (await pendingAfter(...outputs, messages.slice(at, at + 1))).flat()
        expect(again).toEqual(isCounted ? [expect.stringMatching(/:2:request:0$/)] : first)
      }
    })
  },
)

describe.each([
  ['acp', acpQuestion],
  ['codex', codexQuestion],
] as const)('a request of a second process with the id of an earlier one (%s)', (architecture, asks) => {
  it('stays over if the messages come again', () => {
    const source = sourceOf(architecture)
    const answer = {
      ...(architecture === 'acp' && { jsonrpc: '2.0' }),
      id: 0,
      result: { action: 'accept' },
    }
    const messages = [...asks('First?'), answer]
    const { session } = source.read(source.open(), messages)
    const { session: other } = source.read(source.open(session.state), messages)
    for (const read of [session, other])
      expect(pendingRequests(source.read(read, messages.slice(0, -1)).session.state)).toEqual([])
  })
})

// The request stayed open beside the new process, whose own request could have the number.
it('a connection of ACP that begins withdraws the requests of the one before', () => {
  const begins = { jsonrpc: '2.0', id: 0, result: { protocolVersion: 1, agentCapabilities: {} } }
  const source = sourceOf('acp')
  const { session } = source.read(source.open(), [begins, ...acpQuestion('Show?'), begins])
  expect(pendingRequests(session.state)).toEqual([])
  for (const each of [session, source.open(session.state)]) {
    const [request, ...others] = pendingRequests(source.read(each, acpQuestion('Show?')).session.state)
    expect([request?.block.id, others]).toEqual(['main:2:request:0', []])
  }
})

function acpQuestion(message: string): readonly unknown[] {
  const text = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'Hi' } }
  const params = { sessionId: 's', message, mode: 'form', requestedSchema: { type: 'object' } }
  return [
    { jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's', update: text } },
    { jsonrpc: '2.0', id: 0, method: 'elicitation/create', params },
  ]
}

function codexQuestion(message: string): readonly unknown[] {
  const params = { threadId: 'thread', serverName: 'mcp', mode: 'form', message, requestedSchema: {} }
  return [
    {
      method: 'turn/started',
      params: { threadId: 'thread', turn: { id: 'turn', status: 'inProgress', items: [] } },
    },
    { id: 0, method: 'mcpServer/elicitation/request', params },
  ]
}

async function* outputWithoutEnd(messages: readonly unknown[]) {
  yield* messages
  await new Promise(() => {})
}

it('has programs that wait', () => {
  expect(new Set(waiting.map(({ architecture }) => architecture)).size).toBe(NAMES.length)
})
