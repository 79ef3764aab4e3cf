import type { SessionEvent } from '../core/events/event.ts'
import { type BlockType, isPrompt } from '../core/state/block.ts'
import { MAIN } from '../core/state/session.ts'
import type { SessionLookups } from './lookups.ts'
import type { CommonNotes } from './notes/notes.ts'

/** The agent of a broken line in an input with the lines of all agents. */
export const ANY_AGENT = ''

/** The work of an agent after its prompt. */
const WORK: ReadonlySet<BlockType> = new Set(['assistant_text', 'thinking', 'tool_use', 'subagent'])

type Lookups = Pick<SessionLookups, 'findAgent' | 'blocksOf'>

/**
 * Returns the prompt of an agent that begins to work without one, if the line of the prompt may be broken: its call
 * states the prompt too. Undefined before any other event.
 */
export function lostPrompt(
  event: SessionEvent,
  session: Lookups,
  { brokenStarts }: CommonNotes,
): SessionEvent | undefined {
  const { toolUseId, agentId = '', prompt } = session.findAgent(workerOf(event)) ?? {}
  if (toolUseId === undefined || !prompt) return undefined
  if (!brokenStarts?.get(agentId) && !brokenStarts?.get(ANY_AGENT)) return undefined
  if (session.blocksOf(toolUseId).some((block) => isPrompt(block) || WORK.has(block.type))) return undefined
  const id = `${toolUseId}:prompt`
  const block = { type: 'user_message', id, status: 'complete', content: prompt } as const
  return { type: 'block:upsert', conversationId: toolUseId, block }
}

/** Returns the agent that works, or main, which is no agent. */
function workerOf(event: SessionEvent): string {
  const isWork =
    event.type === 'subagent:spawned' || (event.type === 'block:upsert' && WORK.has(event.block.type))
  return (isWork && event.conversationId) || MAIN
}
