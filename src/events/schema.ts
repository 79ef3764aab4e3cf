import type { BlockType } from '../state/block.ts'
import type { SessionEventType } from './event.ts'
import type { Fields, Shape, Variants } from './shape.ts'

const FILE: Variants = {
  fields: {},
  byType: {
    base64: { mediaType: 'string', data: 'string' },
    url: { url: 'string', 'mediaType?': 'string' },
  },
}

const PART: Variants = {
  fields: {},
  byType: {
    text: { text: 'string' },
    image: { source: FILE },
    file: { source: FILE, 'name?': 'string' },
  },
}

/** Of a subagent and of its block. */
export const SUBAGENT_STATUS: Shape = { oneOf: ['pending', 'running', 'success', 'error'] }

const STATUS: Shape = { oneOf: ['pending', 'complete', 'error'] }

/** What a block has to be that comes in; it need not say whose it is. */
export const BLOCK: Variants<BlockType> = {
  fields: { id: 'string', 'conversationId?': 'string', 'timestamp?': 'string' },
  byType: {
    user_message: {
      status: STATUS,
      content: { stringOr: { listOf: PART } },
      'origin?': { oneOf: ['command', 'notification', 'summary', 'meta'] },
    },
    assistant_text: { status: STATUS, content: 'string', 'messageId?': 'string', 'model?': 'string' },
    thinking: {
      status: STATUS,
      content: 'string',
      'messageId?': 'string',
      'model?': 'string',
      'redacted?': 'boolean',
    },
    tool_use: {
      status: STATUS,
      toolName: 'string',
      toolUseId: 'string',
      input: 'JSON value',
      'messageId?': 'string',
    },
    tool_result: {
      status: STATUS,
      toolUseId: 'string',
      output: 'JSON value',
      isError: 'boolean',
      'durationMs?': 'finite number',
    },
    subagent: {
      status: SUBAGENT_STATUS,
      toolUseId: 'string',
      input: 'string',
      'agentId?': 'string',
      'name?': 'string',
      'description?': 'string',
      'output?': 'string',
      'messageId?': 'string',
      'durationMs?': 'finite number',
    },
    system: { status: STATUS, subtype: 'string', message: 'string' },
    error: { status: STATUS, message: 'string', 'code?': 'string' },
    skill_load: { status: STATUS, skillName: 'string', content: 'string' },
  },
}

export const FACTS: { readonly fields: Fields } = {
  fields: {
    'id?': 'string',
    'model?': 'string',
    'cwd?': 'string',
    'program?': 'string',
    'version?': 'string',
    'tools?': { listOf: 'string' },
    'costUsd?': 'finite number',
  },
}

export const TOKENS: { readonly fields: Fields } = {
  fields: {
    'inputTokens?': 'finite number',
    'outputTokens?': 'finite number',
    'cacheReadTokens?': 'finite number',
    'cacheWriteTokens?': 'finite number',
  },
}

/** What an event has to be. */
export const EVENT: Variants<SessionEventType> = {
  fields: { 'conversationId?': 'string', 'timestamp?': 'string' },
  byType: {
    'block:upsert': { block: BLOCK },
    'block:delta': { blockId: 'string', delta: 'string' },
    'block:removed': { blockId: 'string' },
    'subagent:spawned': {
      toolUseId: 'string',
      prompt: 'string',
      'runId?': 'string',
      'subagentType?': 'string',
      'description?': 'string',
      'agentId?': 'string',
      'messageId?': 'string',
    },
    'subagent:resumed': { toolUseId: 'string', 'runId?': 'string', 'prompt?': 'string' },
    'subagent:completed': {
      toolUseId: 'string',
      status: { oneOf: ['completed', 'error'] },
      'runId?': 'string',
      'agentId?': 'string',
      'output?': 'string',
      'durationMs?': 'finite number',
    },
    'session:idle': {},
    'session:updated': { facts: FACTS },
    'usage:reported': { messageId: 'string', usage: TOKENS, final: 'boolean', 'model?': 'string' },
  },
}
