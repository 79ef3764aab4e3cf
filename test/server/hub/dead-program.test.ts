import { describe, expect, it } from 'vitest'
import { createSessionHub } from '../../../src/entries/hub.ts'
import { pendingRequests, sessionStatus } from '../../../src/entries/index.ts'
import { createMemoryLog } from '../../../src/entries/log.ts'
import { inputs } from '../../wires/inputs.ts'

const waiting = inputs.filter(({ name }) =>
  /^(claude-sdk, (01-permission|09-question) of requests, stream|opencode, 0[15]-(permission|question) of requests|codex, 15-approval, app-server$|kimi, 11c-permission-web, events)/.test(
    name,
  ),
)

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

async function* outputWithoutEnd(messages: readonly unknown[]) {
  yield* messages
  await new Promise(() => {})
}

it('has programs that wait', () => {
  expect(waiting.length).toBeGreaterThan(3)
})
