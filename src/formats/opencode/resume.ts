import type { SessionConversationState } from '../../state/session.ts'
import { initialMemory, type OpencodeMemory } from './memory.ts'

/** Returns a memory that goes on from a state alone. */
export function resume({ session }: SessionConversationState): OpencodeMemory {
  return { ...initialMemory, facts: session }
}
