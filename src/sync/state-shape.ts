import { BLOCK, FACTS, SUBAGENT_STATUS, TOKENS } from '../events/schema.ts'
import type { Fields, Shape } from '../events/shape.ts'

/** What a state has to be that comes in. Unlike an incoming block, one in a state says whose it is. */
export function stateShape(): Shape {
  const block = {
    fields: { id: 'string', conversationId: 'string', 'timestamp?': 'string' },
    byType: BLOCK.byType,
  } as const
  const usage: Shape = {
    fields: { messageId: 'string', final: 'boolean', 'model?': 'string', ...TOKENS.fields },
  }
  const thread: Fields = { blocks: { listOf: block }, usage: { listOf: usage } }
  return {
    fields: { ...thread, subagents: { listOf: { fields: subagentFields(thread) } }, session: FACTS },
  }
}

function subagentFields(thread: Fields): Fields {
  return {
    ...thread,
    toolUseId: 'string',
    status: SUBAGENT_STATUS,
    'agentId?': 'string',
    'parentConversationId?': 'string',
    'name?': 'string',
    'description?': 'string',
    'prompt?': 'string',
    'runId?': 'string',
    'output?': 'string',
    'durationMs?': 'finite number',
  }
}
