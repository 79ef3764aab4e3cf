import type { SessionEventType } from '../../../src/core/events/event.ts'
import type { BlockType } from '../../../src/core/state/block.ts'
import type { BlockOf, EventOf } from '../../../src/entries/index.ts'

export type Fields = Readonly<Record<string, unknown>>

/** Sample values of the fields of a block or an event. */
export interface Samples {
  readonly required: Fields
  readonly optional: Fields
}

/** A new field has no sample, and does not compile until it has one. */
type SamplesOf<Value> = {
  readonly required: Pick<Value, RequiredName<Value>>
  readonly optional: Required<Omit<Value, RequiredName<Value>>>
}

type RequiredName<Value> = keyof {
  [Name in keyof Value as Partial<Pick<Value, Name>> extends Pick<Value, Name> ? never : Name]: Name
}

type WithoutType<Value> = Omit<Value, 'type'>

/** An incoming block need not name its conversation. */
type BlockSamples<Type extends BlockType> = SamplesOf<
  Omit<BlockOf<Type>, 'type' | 'conversationId'> & { readonly conversationId?: string }
>

const blockBase = { id: 'a', status: 'complete' } as const
const inConversation = { conversationId: 'main', timestamp: '2025-01-01T00:00:00Z' }
const change = { path: 'a.txt', kind: 'edit', added: 1, removed: 0 } as const
const ofModel = { ...inConversation, messageId: 'm', model: 'opus' }

export const blocks: { readonly [Type in BlockType]: BlockSamples<Type> } = {
  user_message: {
    required: { ...blockBase, content: 'hi' },
    optional: { ...inConversation, origin: 'command', checkpoint: true, changes: [change] },
  },
  assistant_text: { required: { ...blockBase, content: '' }, optional: ofModel },
  thinking: { required: { ...blockBase, content: '' }, optional: { ...ofModel, redacted: true } },
  tool_use: {
    required: { ...blockBase, toolName: 'Read', toolUseId: 'u', input: null },
    optional: { ...inConversation, messageId: 'm', requestedBy: 'person', inputText: '{' },
  },
  tool_result: {
    required: { ...blockBase, toolUseId: 'u', output: null, isError: false },
    optional: {
      ...inConversation,
      durationMs: 5,
      exitCode: 1,
      changes: [
        {
          ...change,
          from: 'b.txt',
          hunks: [{ oldStart: 0, oldLines: 0, newStart: 1, newLines: 1, lines: ['+a'] }],
        },
      ],
    },
  },
  request: {
    required: { ...blockBase, kind: 'question', title: 'Which colour?' },
    optional: {
      ...inConversation,
      toolUseId: 'u',
      options: [{ id: 'Teal', label: 'Teal', description: 'Blue green' }],
      questions: [{ text: 'Which colour?', options: [], multiple: true }],
      answer: [['Teal']],
      denied: false,
      comment: 'Please',
      data: { any: 1 },
    },
  },
  subagent: {
    required: { id: 'a', status: 'running', toolUseId: 'T', input: '' },
    optional: {
      ...inConversation,
      agentId: 'X',
      name: 'Explore',
      description: 'looks',
      agentType: 'explorer',
      phase: 'Search',
      launchedBy: 'W',
      output: 'done',
      durationMs: 5,
      messageId: 'm',
      inputText: '{',
    },
  },
  system: {
    required: { ...blockBase, subtype: 'hook', message: 'ran' },
    optional: { ...inConversation, data: { any: 1 }, keptBlockIds: ['a'], contextTokens: 1 },
  },
  error: {
    required: { ...blockBase, message: 'failed' },
    optional: { ...inConversation, code: 'overloaded' },
  },
  skill_load: { required: { ...blockBase, skillName: 's', content: '' }, optional: inConversation },
}

/** A context without fields changes nothing, so the event stays the same object. */
const inEvent = { ...inConversation, context: {} }

export const events: { readonly [Type in SessionEventType]: SamplesOf<WithoutType<EventOf<Type>>> } = {
  'block:upsert': {
    required: { block: { type: 'assistant_text', ...blocks.assistant_text.required } },
    optional: inEvent,
  },
  'block:delta': { required: { blockId: 'a', delta: '' }, optional: inEvent },
  'block:removed': { required: { blockId: 'a' }, optional: inEvent },
  'subagent:spawned': {
    required: { toolUseId: 'T', prompt: '' },
    optional: {
      ...inEvent,
      subagentType: 'Explore',
      description: 'looks',
      agentType: 'explorer',
      phase: 'Search',
      launchedBy: 'W',
      agentId: 'X',
      formerId: 'F',
      runId: 'r1',
      messageId: 'm',
    },
  },
  'subagent:resumed': {
    required: { toolUseId: 'T' },
    optional: { ...inEvent, runId: 'r1', prompt: '', continues: true },
  },
  'subagent:completed': {
    required: { toolUseId: 'T', status: 'completed' },
    optional: { ...inEvent, agentId: 'X', runId: 'r1', output: '', durationMs: 5, cut: true },
  },
  'session:running': { required: {}, optional: { ...inEvent, continues: true } },
  'session:idle': {
    required: {},
    optional: { ...inEvent, outcome: 'failed', error: 'no money', cut: true },
  },
  'session:updated': { required: { facts: {} }, optional: inEvent },
  'usage:reported': {
    required: { messageId: 'm', usage: {}, final: false },
    optional: { ...inEvent, model: 'opus', fromResult: true },
  },
  'todos:updated': {
    required: { todos: [{ id: '1', text: 'Look', status: 'pending' }] },
    optional: inEvent,
  },
  'branch:abandoned': { required: { branchId: 'r', blockIds: ['a'] }, optional: inEvent },
}
