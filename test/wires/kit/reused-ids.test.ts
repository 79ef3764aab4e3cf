import { expect, it } from 'vitest'
import { subagentBlockId } from '../../../src/core/state/block.ts'
import { createInitialConversationState, MAIN } from '../../../src/core/state/session.ts'
import { TranslationContext } from '../../../src/reading/context.ts'
import { declareNotes } from '../../../src/reading/notes/notes.ts'
import { abandonFrom } from '../../../src/wires/kit/abandon.ts'
import { callBlock, resultBlock } from '../../../src/wires/kit/blocks.ts'
import {
  agentOfId,
  callOf,
  freeNumber,
  noteReusedIds,
  placeCall,
  RENAMED_CALLS,
} from '../../../src/wires/kit/reused-ids.ts'

const NOTES = declareNotes({ source: 'kit', version: 1 }, { renamedCalls: RENAMED_CALLS })
const open = (state = createInitialConversationState()) =>
  new TranslationContext({ state, notes: NOTES.initial })
type Context = ReturnType<typeof open>

/** Shows calls such as `a>c3`: the call `c` of the message `m3`, in the agent `a`. `+` calls an agent, and `~` has no input yet. */
function place(context: Context, calls: string): string {
  const ids = calls.split(' ').map((word) => {
    const [, conversationId = MAIN, kind, callId = '', at = '', mark] =
      /^(?:(\w)>)?(\+?)(\w)(\d)(~?)$/.exec(word) ?? []
    const isAgent = kind === '+'
    const call = { conversationId, messageId: `m${at}`, callId, isAgent }
    const facts = { toolUseId: placeCall(call, context), messageId: call.messageId, timestamp: at }
    const id = subagentBlockId(facts.toolUseId)
    const agent = {
      ...facts,
      type: 'subagent',
      id,
      status: 'pending',
      input: mark === '~' ? '' : 'Go.',
    } as const
    const tool = callBlock({ ...facts, toolName: 'ls', input: {}, inputText: mark === '~' ? '{' : undefined })
    context.upsert(conversationId, isAgent ? agent : tool)
    return facts.toolUseId
  })
  return ids.join(' ')
}

it('gives each call an id of its own, and finds the call that a message is about', () => {
  const context = open()
  const ids = place(context, 'c1 c1 c2 c4 c5~ +a1 +a2 +a4~ a>a3 a>c3 d3')
  expect(ids).toBe('c c c@m2 c@m4 c@m5 a a@m2 a@m4 a@m3 c d')
  const { state } = context.finish().session
  const reopened = open(state)
  noteReusedIds(state, reopened.notes)
  for (const each of [context, reopened]) {
    const callsAt = [undefined, '1', '2', '3', '5', '0'].map((time) => callOf(MAIN, 'c', each, time))
    expect(callsAt.join(' ')).toBe('c@m5 c c@m2 c@m2 c@m4 c@m5')
    const agentsAt = [undefined, '1', '4'].map((time) => agentOfId('a', { time }, each))
    expect(agentsAt.join(' ')).toBe('a@m4 a a@m2')
    expect(['a', 'a@m2', 'ab'].map((known) => agentOfId('a', { known }, each)).join(' ')).toBe('a a@m2 a@m4')
    expect(['a', 'c'].map((id) => callOf('a', id, each)).join(' ')).toBe('a@m3 c')
    expect(['d', 'a'].map((id) => callOf(MAIN, id, each)).join(' ')).toBe('d a@m4')
  }
})

it('renames nothing that only looks like a renamed call', () => {
  const context = open()
  for (const word of ['@m m', 'c@ ', 'c@n m']) {
    const [toolUseId = '', messageId = ''] = word.split(' ')
    context.upsert(MAIN, callBlock({ toolUseId, toolName: 'ls', input: {}, messageId }))
  }
  noteReusedIds(context.finish().session.state, context.notes)
  expect(context.notes.values.renamedCalls.isEmpty).toBe(true)
})

it('knows the calls that the person took back', () => {
  const context = open()
  const dataOf = (id: string) => Object(context.state.findBlock(MAIN, id)).data
  place(context, 'c1 +a1')
  abandonFrom(0, { id: 'r' }, context)
  expect(dataOf('r')).toEqual({ from: 'subagent:a', to: null, blockIds: ['c', 'subagent:a'] })
  expect(place(context, 'c2 +a2 b>c2')).toBe('c@m2 a@m2 c')
  abandonFrom(1, { id: 's', data: { why: 1 } }, context)
  expect(dataOf('s')).toEqual({ why: 1, blockIds: ['c@m2', 'subagent:a@m2'] })
  place(context, 'd3')
  abandonFrom(2, { id: 't' }, context)
  expect(dataOf('t')).toEqual({ from: 'd', to: 's', blockIds: ['d'] })
})

it('gives a call the requests behind the call before it', () => {
  const context = open()
  const common = { type: 'request', status: 'pending', kind: 'permission', title: 'ls' } as const
  const ask = (id: string, toolUseId: string) => context.upsert(MAIN, { ...common, id, toolUseId })
  ask('q', 'c')
  place(context, 'c1')
  ask('r', 'c')
  context.upsert(MAIN, resultBlock({ toolUseId: 'c', output: '', isError: false }))
  ask('s', 'c')
  ask('t', 'd')
  place(context, 'c2')
  const callsOf = ['q', 'r', 's', 't'].map((id) => Object(context.state.findBlock(MAIN, id)).toolUseId)
  expect(callsOf).toEqual(['c', 'c', 'c@m2', 'd'])
})

it('finds the first free number, and asks for few', () => {
  for (let taken = 0; taken < 70; taken += 1) {
    const asked: number[] = []
    expect(freeNumber((number) => asked.push(number) > 0 && number < taken)).toBe(taken)
    expect(asked.length).toBeLessThanOrEqual(2 * Math.ceil(Math.log2(taken + 2)) + 2)
  }
})
