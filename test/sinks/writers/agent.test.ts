import { describe, expect, it } from 'vitest'
import type { SessionConversationState } from '../../../src/core/state/session.ts'
import { UnknownAgentError, writablePrograms, writeSession } from '../../../src/entries/writers.ts'
import { stateOfAgent } from '../../../src/sinks/writers/agent-state.ts'
import { recording, replay } from '../../wires/recordings.ts'
import { readBack } from './read-back.ts'

const { state } = replay(recording('06-nested-forward').disk)
const [outer, inner] = state.subagents

/** What a conversation says, without the ids of the program that wrote it. */
function textsIn({ blocks }: Pick<SessionConversationState, 'blocks'>): readonly string[] {
  return blocks.flatMap((block) =>
    block.type === 'user_message' || block.type === 'assistant_text' ? [JSON.stringify(block.content)] : [],
  )
}

describe.each(writablePrograms())('the conversation of an agent, written for %s', (program) => {
  const options = { program, cwd: '/srv/demo' }

  it('is main of a new session', async () => {
    if (!outer || !inner) throw new RangeError('no agents')
    const written = writeSession(state, { ...options, agent: outer.toolUseId })
    const read = await readBack(program, written)
    expect(read.blocks[0]).toMatchObject({ type: 'user_message', content: outer.prompt })
    expect(textsIn(read)).toEqual(textsIn(outer))
  })

  it('has the same files under either id, and others than the whole session or another agent', () => {
    const filesOf = (agent?: string) => writeSession(state, { ...options, ...(agent && { agent }) }).files
    expect(filesOf(outer?.agentId)).toEqual(filesOf(outer?.toolUseId))
    const paths = [undefined, outer?.toolUseId, inner?.toolUseId].flatMap((agent) =>
      Object.keys(filesOf(agent)),
    )
    expect(new Set(paths).size).toBe(paths.length)
  })
})

it('takes the agents below the agent along, and no other one', () => {
  const own = stateOfAgent(state, outer?.toolUseId ?? '')
  expect(own.subagents).toEqual([{ ...inner, parentConversationId: 'main' }])
  expect(stateOfAgent(state, inner?.toolUseId ?? '').subagents).toEqual([])
})

it('begins with the prompt of the call if the conversation lacks it', () => {
  const subagents = state.subagents.map((agent) => ({
    ...agent,
    blocks: agent.blocks.filter(({ type }) => type !== 'user_message'),
  }))
  const own = stateOfAgent({ ...state, subagents }, outer?.toolUseId ?? '')
  expect(own.blocks[0]).toMatchObject({
    type: 'user_message',
    content: outer?.prompt,
    conversationId: 'main',
  })
})

it.each(['nobody', 'main', '', 5])('refuses %j, which is no agent, with a code and a path', (agent) => {
  const write = () => writeSession(state, { program: 'codex', cwd: '/srv/demo', agent: agent as string })
  expect(write).toThrow(UnknownAgentError)
  expect(write).toThrow(expect.objectContaining({ code: 'unknown-agent', path: 'agent' }))
})
