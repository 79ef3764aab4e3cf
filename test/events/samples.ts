import type { BlockType, SessionEventType } from '../../src/index.ts'

export type Fields = Readonly<Record<string, unknown>>

export interface Shape {
  readonly required: Fields
  readonly optional: Fields
}

const blockBase = { id: 'a', status: 'complete' }
const inConversation = { conversationId: 'main', timestamp: '2025-01-01T00:00:00Z' }
const ofModel = { ...inConversation, messageId: 'm', model: 'opus' }

export const blocks: Readonly<Record<BlockType, Shape>> = {
  user_message: {
    required: { ...blockBase, content: 'hi' },
    optional: { ...inConversation, origin: 'command' },
  },
  assistant_text: { required: { ...blockBase, content: '' }, optional: ofModel },
  thinking: { required: { ...blockBase, content: '' }, optional: { ...ofModel, redacted: true } },
  tool_use: {
    required: { ...blockBase, toolName: 'Read', toolUseId: 'u', input: null },
    optional: { ...inConversation, messageId: 'm' },
  },
  tool_result: {
    required: { ...blockBase, toolUseId: 'u', output: null, isError: false },
    optional: { ...inConversation, durationMs: 5 },
  },
  subagent: {
    required: { id: 'a', status: 'running', toolUseId: 'T', input: '' },
    optional: {
      ...inConversation,
      agentId: 'X',
      name: 'Explore',
      description: 'looks',
      output: 'done',
      durationMs: 5,
      messageId: 'm',
    },
  },
  system: {
    required: { ...blockBase, subtype: 'hook', message: 'ran' },
    optional: { ...inConversation, data: { any: 1 } },
  },
  error: {
    required: { ...blockBase, message: 'failed' },
    optional: { ...inConversation, code: 'overloaded' },
  },
  skill_load: { required: { ...blockBase, skillName: 's', content: '' }, optional: inConversation },
}

export const events: Readonly<Record<SessionEventType, Shape>> = {
  'block:upsert': {
    required: { block: { type: 'assistant_text', ...blocks.assistant_text.required } },
    optional: inConversation,
  },
  'block:delta': { required: { blockId: 'a', delta: '' }, optional: inConversation },
  'block:removed': { required: { blockId: 'a' }, optional: inConversation },
  'subagent:spawned': {
    required: { toolUseId: 'T', prompt: '' },
    optional: {
      ...inConversation,
      subagentType: 'Explore',
      description: 'looks',
      agentId: 'X',
      runId: 'r1',
      messageId: 'm',
    },
  },
  'subagent:resumed': {
    required: { toolUseId: 'T' },
    optional: { ...inConversation, runId: 'r1', prompt: '' },
  },
  'subagent:completed': {
    required: { toolUseId: 'T', status: 'completed' },
    optional: { ...inConversation, agentId: 'X', runId: 'r1', output: '', durationMs: 5 },
  },
  'session:idle': { required: {}, optional: inConversation },
  'session:updated': { required: { facts: {} }, optional: inConversation },
  'usage:reported': {
    required: { messageId: 'm', usage: {}, final: false },
    optional: { ...inConversation, model: 'opus' },
  },
}
