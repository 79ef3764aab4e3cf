import { describe, expect, it } from 'vitest'
import type { IncomingBlock } from '../../../src/core/events/event.ts'
import type { SessionConversationState } from '../../../src/core/state/session.ts'
import {
  createInitialConversationState,
  reduceSessionEvents,
  type SessionEvent,
} from '../../../src/entries/index.ts'
import { UnknownAgentError, writablePrograms, writeSession } from '../../../src/entries/writers.ts'
import { stateOfAgent } from '../../../src/sinks/writers/write-session.ts'
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

// A stream that lacks the prompt of an agent may have notes of the program, or the prompt of a later run.
describe.each(writablePrograms())(
  'an agent whose conversation lacks its first prompt, written for %s',
  (program) => {
    // The others lack an agent's conversation, or its later prompts.
    const targets = ['pi', 'copilot'].includes(program) ? ['t1'] : ['t1', undefined]
    const answer = { type: 'assistant_text', id: 'a', content: 'Done.', status: 'complete' } as const
    const prompt = (content: string) =>
      ({ type: 'user_message', id: content, content, status: 'complete' }) as const
    const upsert = (block: IncomingBlock): SessionEvent => ({
      type: 'block:upsert',
      conversationId: 't1',
      block,
    })
    const spawn: SessionEvent = {
      type: 'subagent:spawned',
      toolUseId: 't1',
      prompt: 'Go.',
      subagentType: 'x',
    }
    const messagesOf = (agent: string | undefined, ...blocks: readonly IncomingBlock[]) => {
      const start = createInitialConversationState()
      const session = reduceSessionEvents(start, [spawn, ...blocks.map(upsert)])
      const read = readBack(program, writeSession(session, { program, cwd: '/srv', ...(agent && { agent }) }))
      return textsIn(agent ? read : (read.subagents[0] ?? read)).map((each) => JSON.parse(each))
    }

    it.each(targets)('has it before a later prompt, and once: %s', (agent) => {
      const later = [answer, prompt('Again.'), { ...answer, id: 'b' }]
      expect(messagesOf(agent, ...later)).toEqual(['Go.', 'Done.', 'Again.', 'Done.'])
      expect(messagesOf(agent, prompt('Go.'), ...later)).toEqual(['Go.', 'Done.', 'Again.', 'Done.'])
      expect(messagesOf(agent, answer, prompt('Go.'))).toEqual(['Done.', 'Go.'])
    })

    it.each(targets)('has it beside a note of the program: %s', (agent) => {
      expect(messagesOf(agent, { ...prompt('Note.'), origin: 'meta' }, answer)).toEqual(['Go.', 'Done.'])
    })
  },
)

it('keeps the text at which an agent failed', () => {
  const failed = reduceSessionEvents(createInitialConversationState(), [
    { type: 'subagent:spawned', toolUseId: 'a', prompt: 'Go.' },
    {
      type: 'block:upsert',
      conversationId: 'a',
      block: { type: 'assistant_text', id: 't', status: 'pending', content: 'Half an ans' },
    },
    { type: 'subagent:completed', toolUseId: 'a', status: 'error' },
  ])
  const written = writeSession(failed, { program: 'claude-code', cwd: '/srv/demo', agent: 'a' })
  expect(Object.values(written.files).join('')).toContain('Half an ans')
  expect(written.losses.map(({ kind }) => kind)).not.toContain('dropped-text')
})

it.each(['nobody', 'main', '', 5])('refuses %j, which is no agent, with a code and a path', (agent) => {
  const write = () => writeSession(state, { program: 'codex', cwd: '/srv/demo', agent: agent as string })
  expect(write).toThrow(UnknownAgentError)
  expect(write).toThrow(expect.objectContaining({ code: 'unknown-agent', path: 'agent' }))
})
