import { expectTypeOf, it } from 'vitest'
import {
  type BlockOf,
  type ConversationBlock,
  type EventOf,
  isConversationEvent,
  type parseSessionEvent,
  type ReducerIssue,
  reduceSessionEvent,
  reduceSessionEvents,
  type SessionConversationState,
  type SessionEvent,
  type SubagentState,
  stepSessionEvent,
} from '../../../src/entries/index.ts'
import type { IncomingBlock } from '../../../src/entries/source-kit.ts'

interface Delta {
  type: 'block:delta'
  blockId: string
  delta: string
}

interface Text {
  type: 'assistant_text'
  id: string
  status: 'pending'
  content: string
}

it('an event without a required field does not compile', () => {
  expectTypeOf<Delta>().toExtend<SessionEvent>()
  expectTypeOf<Omit<Delta, 'delta'>>().not.toExtend<SessionEvent>()
  expectTypeOf<Omit<Delta, 'blockId'>>().not.toExtend<SessionEvent>()
  expectTypeOf<{ type: 'subagent:completed'; toolUseId: string }>().not.toExtend<SessionEvent>()
})

it('an event of an unknown type does not compile', () => {
  expectTypeOf<Omit<Delta, 'type'> & { type: 'block:append' }>().not.toExtend<SessionEvent>()
  expectTypeOf<Omit<Delta, 'type'> & { type: string }>().not.toExtend<SessionEvent>()
})

it('undefined is not the same as an absent field', () => {
  expectTypeOf<Delta & { conversationId: string }>().toExtend<SessionEvent>()
  expectTypeOf<Delta & { conversationId: undefined }>().not.toExtend<SessionEvent>()
  expectTypeOf<Omit<SubagentState, 'agentId'> & { agentId: undefined }>().not.toExtend<SubagentState>()
})

it('an incoming block needs no conversation, a stored one does', () => {
  expectTypeOf<Text>().toExtend<IncomingBlock>()
  expectTypeOf<Text>().not.toExtend<ConversationBlock>()
  expectTypeOf<Text & { conversationId: string }>().toExtend<ConversationBlock>()
})

it('a block without its own fields, or with another type’s status, does not compile', () => {
  expectTypeOf<Omit<Text, 'content'>>().not.toExtend<IncomingBlock>()
  expectTypeOf<Omit<Text, 'status'> & { status: 'running' }>().not.toExtend<IncomingBlock>()
  expectTypeOf<BlockOf<'subagent'>['status']>().toEqualTypeOf<'pending' | 'running' | 'success' | 'error'>()
  expectTypeOf<BlockOf<'tool_use'>['status']>().toEqualTypeOf<'pending' | 'complete' | 'error'>()
})

it('a field is known only after a check of the type', () => {
  expectTypeOf<SessionEvent>().not.toHaveProperty('delta')
  expectTypeOf<ConversationBlock>().not.toHaveProperty('content')
  expectTypeOf<EventOf<'block:delta'>>().toHaveProperty('delta').toEqualTypeOf<string>()
  expectTypeOf<BlockOf<'assistant_text'>>().toHaveProperty('content').toEqualTypeOf<string>()
})

it('a state can’t be changed in place', () => {
  expectTypeOf<SessionConversationState['blocks']>().not.toExtend<unknown[]>()
  expectTypeOf<SessionConversationState['subagents']>().not.toExtend<unknown[]>()
  expectTypeOf<SubagentState['usage']>().not.toExtend<unknown[]>()
  expectTypeOf<Pick<BlockOf<'error'>, 'message'>>().toEqualTypeOf<{ readonly message: string }>()
  expectTypeOf<Pick<SubagentState, 'status'>>().not.toEqualTypeOf<{ status: SubagentState['status'] }>()
})

it('foreign data is no event before a guard has checked it', () => {
  expectTypeOf(reduceSessionEvent).parameter(1).toEqualTypeOf<SessionEvent>()
  expectTypeOf(reduceSessionEvents).parameter(1).toEqualTypeOf<Iterable<SessionEvent>>()
  expectTypeOf(isConversationEvent).guards.toEqualTypeOf<SessionEvent>()
  expectTypeOf<ReturnType<typeof parseSessionEvent>>().not.toHaveProperty('event')
})

it('a step gives the state and perhaps an issue', () => {
  expectTypeOf(stepSessionEvent).returns.toEqualTypeOf<{
    readonly state: SessionConversationState
    readonly issue?: ReducerIssue
  }>()
})
