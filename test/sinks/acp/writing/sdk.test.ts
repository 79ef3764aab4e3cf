import type * as stableSdk from '@agentclientprotocol/sdk'
import * as sdk from '@agentclientprotocol/sdk/unstable'
import { describe, expect, expectTypeOf, it } from 'vitest'
import type { SessionConversationState } from '../../../../src/entries/index.ts'
import type {
  ChildSessionUpdate,
  SessionNotification,
  SessionUpdate,
} from '../../../../src/sinks/acp/messages.ts'
import { toSessionUpdates } from '../../../../src/sinks/acp/to-session-updates.ts'
import { recording, replay } from '../../../wires/recordings.ts'

const { state } = replay(recording('06-nested-forward').disk)

/** Loads the session with the SDK's own client from an agent that replays it, and returns the updates that the client got. */
async function loadSession(
  session: SessionConversationState,
  clientCapabilities: sdk.ClientCapabilities,
): Promise<readonly sdk.SessionNotification[]> {
  let capabilities: sdk.ClientCapabilities | undefined
  const agent = sdk
    .agent()
    .onRequest('initialize', ({ params }) => {
      capabilities = params.clientCapabilities
      return { protocolVersion: sdk.PROTOCOL_VERSION, agentCapabilities: { loadSession: true } }
    })
    .onRequest('session/load', async ({ params, client }) => {
      const updates = toSessionUpdates(session, {
        sessionId: params.sessionId,
        ...(capabilities && { clientCapabilities: capabilities }),
      })
      for (const update of updates) await client.notify('session/update', update)
      return {}
    })
  const received: sdk.SessionNotification[] = []
  const client = sdk.client().onNotification('session/update', ({ params }) => void received.push(params))
  await client.connectWith(agent, async (context) => {
    await context.request('initialize', { protocolVersion: sdk.PROTOCOL_VERSION, clientCapabilities })
    await context.request('session/load', { sessionId: 'loaded', cwd: '/srv/demo', mcpServers: [] })
  })
  return received
}

describe('a client of the SDK that loads a session', () => {
  it.each([{}, { subagents: {} }])(
    'gets every update as it was sent, with the capabilities %j',
    async (clientCapabilities) => {
      const received = await loadSession(state, clientCapabilities)
      expect(received).toEqual(toSessionUpdates(state, { sessionId: 'loaded', clientCapabilities }))
      expect(received.filter(({ update }) => update.sessionUpdate === 'tool_call').length).toBeGreaterThan(1)
    },
  )
})

describe('the types of a replay', () => {
  it('are those of the SDK', () => {
    expectTypeOf<SessionNotification>().toExtend<stableSdk.SessionNotification>()
    expectTypeOf<
      SessionNotification<SessionUpdate | ChildSessionUpdate>
    >().toExtend<sdk.SessionNotification>()
    expectTypeOf<SessionNotification<ChildSessionUpdate>>().not.toExtend<stableSdk.SessionNotification>()
  })

  it('have child sessions only for a client that may know them', () => {
    const withStable = (clientCapabilities: stableSdk.ClientCapabilities) =>
      toSessionUpdates(state, { clientCapabilities })
    const withUnstable = (clientCapabilities: sdk.ClientCapabilities) =>
      toSessionUpdates(state, { clientCapabilities })
    expectTypeOf(toSessionUpdates(state)).toEqualTypeOf<SessionNotification[]>()
    expectTypeOf(withStable).returns.toEqualTypeOf<SessionNotification[]>()
    expectTypeOf(withUnstable).returns.toEqualTypeOf<
      SessionNotification<SessionUpdate | ChildSessionUpdate>[]
    >()
  })
})
